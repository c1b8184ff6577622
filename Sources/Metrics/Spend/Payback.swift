internal import Basics
internal import EventModel
internal import Lifecycle
internal import Statistics
public import Store

/// Compares advertising spend with the proceeds of the users who were first seen on the same UTC days.
public enum Payback {
  /// Ages in days without `--at`.
  static let ages = [7, 30, 90, 365]
  /// The age by which payers count for the cost of one.
  static let payerAge = 30
  /// The parts of spend that users have as properties of their events.
  static let properties = ["source", "campaign", "ad_group"]

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    try made(snapshot, try inOneCurrency(snapshot, options))
  }

  /// Returns whether spend of any app asked for is stored.
  static func hasSpend(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Bool {
    try snapshot.apps().contains { app in
      guard options.apps.isEmpty || options.apps.contains(app.name) else { return false }
      return try !snapshot.spend(ofApp: app.name).isEmpty
    }
  }

  /// Returns the options with one currency: that of all spend and payments if there is only one, else US dollars.
  private static func inOneCurrency(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> ReportOptions {
    if options.currency != nil { return options }
    var currencies = try snapshot.paymentCurrencies()
    for app in try snapshot.apps() where options.apps.isEmpty || options.apps.contains(app.name) {
      currencies.formUnion(try snapshot.spend(ofApp: app.name).map(\.currency))
    }
    if options.isNative, currencies.count > 1 {
      throw OptionError(
        "--currency is native, but payback needs one currency, and there are \(currencies.sorted().joined(separator: ", "))"
      )
    }
    var options = options
    options.isNative = false
    options.currency = currencies.count == 1 ? currencies.first : "USD"
    return options
  }

  private static func made(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, by: .payback)
    let currency = ReportCurrency(query)
    var cohorts: [[String]: PaybackCohort] = [:]
    if try hasSpend(snapshot, options) {
      cohorts = try PaybackUsers(query, currency).cohorts
      try addSpend(query, currency, to: &cohorts)
      try currency.check()
    }
    let ages = options.points ?? ages
    let sorted = cohorts.sorted { precedesInBytes($0.key, $1.key) }
    let breakEvens = sorted.map(\.value).concurrentMap { PaybackBreakEven($0) }
    let name = options.currency ?? ""
    return query.report(
      "payback", title: "Payback of advertising spend",
      definition: [
        "users: by the UTC day of their first event. spend: of the same days. country and platform: of the first "
          + "event. source, campaign, ad_group: the property of the user's first event that has it, else (organic)",
        "Spend on days before the first event and after the last one counts, with no users",
        "cac: spend ÷ users who paid within \(payerAge) days. Both are of days that ended at least \(payerAge) days "
          + "before the end of the data. Its interval is Wilson's 95% interval of the payers' share",
        "roas_A: proceeds after tax, commission and refunds within A days of a user's first event ÷ spend. Both are "
          + "of days that ended at least A days before the end of the data",
        "break_even_day: the first day d at which proceeds per user by age d × users reach the spend. Proceeds are "
          + "of users followed for d days. The 95% interval has \(PaybackBreakEven.resamples) resamples; it has no "
          + "end if more than 2.5% of them never reach the spend",
      ],
      own: [
        query.currencyParameter, Report.Parameter(name: "store_fee", value: options.storeFee.description),
        Report.Parameter(name: "campaign_property", value: options.campaignProperty),
      ],
      readsEvents: true,
      columns: [ReportColumn("app", .key)] + query.by.map { ReportColumn(label(of: $0), .key) }
        + [ReportColumn("currency", .key)] + columns(ages),
      rows: zip(sorted, breakEvens).map { row, breakEven in
        (row.key + [name]).map(ReportValue.text) + values(row.value, breakEven, ages, name)
      })
  }

  private static func label(of dimension: Dimension) -> String {
    if case .property(let name) = dimension { return name }
    return dimension.name
  }

  private static func columns(_ ages: [Int]) -> [ReportColumn] {
    [
      ReportColumn("spend", .money), ReportColumn("persons", .count), ReportColumn("payers", .count),
      ReportColumn("cost_per_person", .money), ReportColumn("cac", .money), ReportColumn("cac_low", .low),
      ReportColumn("cac_high", .high),
    ] + ages.map { ReportColumn("roas_\($0)", .rate) }
      + [
        ReportColumn("break_even_day", .count), ReportColumn("break_even_day_low", .low),
        ReportColumn("break_even_day_high", .high), ReportColumn("regained", .rate), ReportColumn("status", .text),
        ReportColumn("installs", .count), ReportColumn("cost_per_install", .money),
      ]
  }

  private static func values(
    _ cohort: PaybackCohort, _ breakEven: PaybackBreakEven, _ ages: [Int], _ currency: String
  ) -> [ReportValue] {
    let hasSpend = cohort.spend > 0
    func money(_ parts: Int128, over count: Int = 1) -> ReportValue {
      .money(
        hasSpend && count > 0 ? roundedToOdd(parts, dividedBy: Int128(count) * ReportCurrency.parts) : nil,
        currency: currency)
    }
    func count(_ count: Int?) -> ReportValue { count.map { .count($0) } ?? .percent(nil) }
    let cost = cohort.cost(by: payerAge)
    let share = wilsonInterval(successes: Double(cost.payers), trials: Double(cost.persons))
    func bound(_ share: Double?) -> ReportValue {
      let spend = Double(cost.spend) / Double(ReportCurrency.parts)
      return .estimate(
        share.flatMap { $0 > 0 && cost.spend > 0 ? spend / ($0 * Double(cost.persons)) : nil }, currency: currency)
    }
    let returns = ages.map { age -> ReportValue in
      let (proceeds, spend) = cohort.returns(by: age)
      return .rate(spend > 0 ? Double(proceeds) / Double(spend) : nil)
    }
    let status =
      !hasSpend
      ? "no_spend" : cohort.persons.isEmpty ? "no_users" : breakEven.day == nil ? "not_yet" : "reached"
    return [
      money(cohort.spend), .count(cohort.persons.count), .count(cohort.persons.count { $0.hasPaid(by: .max) }),
      money(cohort.spend, over: cohort.persons.count),
      cost.spend > 0 ? money(cost.spend, over: cost.payers) : .money(nil, currency: currency), bound(share?.high),
      bound(share?.low),
    ] + returns + [
      count(breakEven.day), count(breakEven.low), count(breakEven.high),
      .rate(hasSpend ? Double(cohort.proceeds) / Double(cohort.spend) : nil), .text(status), count(cohort.installs),
      money(cohort.spend, over: cohort.installs ?? 0),
    ]
  }

  // MARK: Spend

  private static func addSpend(
    _ query: ReportQuery, _ currency: ReportCurrency, to cohorts: inout [[String]: PaybackCohort]
  ) throws {
    let options = query.options
    for app in query.apps {
      // An as-of hides the spend of later days as it hides events.
      let end = options.asOf.map { floorDays($0 - 1) + 1 } ?? .max
      for row in try query.snapshot.spend(ofApp: app.name) {
        let day = Int64(row.day.daysSince1970)
        guard day < end, options.from.map({ row.day >= $0 }) ?? true, options.to.map({ row.day < $0 }) ?? true else {
          continue
        }
        let key =
          [app.name]
          + query.by.map { dimension -> String in
            let text: String
            switch dimension {
            case .country: text = row.slice.country
            case .platform: text = row.slice.platform
            case .property("source"): text = row.slice.source
            case .property("ad_group"): text = row.slice.adGroup
            case .property: text = row.slice.campaign
            default: return query.label(dimension, dimension.code(ofDay: day))
            }
            return text.isEmpty ? query.facts.name(0) : text
          }
        let amount = try currency.parts(ofSpend: row.spend, row.currency, on: Int(day))
        var cohort = cohorts[key] ?? PaybackCohort(asOfDay: floorDays(query.asOf(of: app)))
        cohort.add(amount, on: Int32(day), installs: row.installs)
        cohorts[key] = cohort
      }
    }
  }
}
