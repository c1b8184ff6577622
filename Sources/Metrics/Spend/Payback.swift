internal import Basics
internal import EventModel
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

  static func isOfSpend(_ dimension: Dimension) -> Bool {
    dimension.isPeriod || dimension == .country || dimension == .platform
  }

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
      cohorts = try PaybackUsers(query, currency, predicts: options.predictsPayback).cohorts
      try addSpend(query, currency, to: &cohorts)
      try currency.check()
    }
    let ages = options.points ?? ages
    let sorted = cohorts.sorted { precedesInBytes($0.key, $1.key) }
    let breakEvens = sorted.map(\.value).concurrentMap { PaybackBreakEven($0, keepsResamples: options.predictsPayback) }
    let sums = sorted.map { PaybackSums($0.value, ages) }
    let predictions = options.predictsPayback ? try predictions(query, sorted, breakEvens) : []
    let name = options.currency ?? ""
    var report = query.report(
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
      ] + (options.predictsPayback ? predictedDefinition : []),
      own: [
        query.currencyParameter, Report.Parameter(name: "store_fee", value: options.storeFee.description),
        Report.Parameter(name: "campaign_property", value: options.campaignProperty),
      ] + (options.predictsPayback ? [Report.Parameter(name: "predict", value: "true")] : []),
      readsEvents: true, columns: columns(ages) + (options.predictsPayback ? predictedColumns : []),
      rows: SumsRows(
        keys: ["app"] + query.by.map(label) + ["currency"],
        rows: sorted.indices.map { place in
          let prediction = options.predictsPayback ? predictions[place] : nil
          let own = Line(
            sums: sums[place], all: sums[place], breakEven: breakEvens[place], prediction: prediction)
          return (sorted[place].key + [name], own)
        }),
      totals: totals(query, zip(sorted, sums).map { ($0.key, $1) }, name))
    report.notes = notes(query, cohorts)
    return report
  }

  static func label(of dimension: Dimension) -> String {
    if case .property(let name) = dimension { return name }
    return dimension.name
  }

  /// A row, or a total, which has no days of its own.
  private struct Line {
    var sums: PaybackSums
    /// Whose users count; for totals those without spend, too.
    var all: PaybackSums
    var breakEven: PaybackBreakEven?
    var prediction: PaybackPrediction?

    var spend: Int128? { sums.spend > 0 ? sums.spend : nil }

    var status: String {
      guard let breakEven else { return "" }
      if sums.spend == 0 { return "no_spend" }
      return sums.persons == 0 ? "no_users" : breakEven.day == nil ? "not_yet" : "reached"
    }

    /// The cost of a payer if this share of users pays, in micro-units.
    func cost(at share: Double?) -> Double? {
      guard let share, share > 0, sums.cost.spend > 0 else { return nil }
      return Double(sums.cost.spend) / Double(ReportCurrency.parts) / (share * Double(sums.cost.persons))
    }
  }

  private static func columns(_ ages: [Int]) -> [SumsColumn<Line>] {
    [
      .money("spend", \.spend), .count("persons", \.all.persons), .count("payers", \.all.payers),
      .money("cost_per_person", \.spend, per: \.sums.persons),
      SumsColumn(ReportColumn.bounded("cac", .money)) { line, currency in
        let (cost, parts) = (line.sums.cost, ReportCurrency.parts)
        let share = wilsonInterval(successes: Double(cost.payers), trials: Double(cost.persons))
        let mean =
          cost.spend > 0 && cost.payers > 0 ? roundedToOdd(cost.spend, dividedBy: Int128(cost.payers) * parts) : nil
        return [.money(mean, currency: currency)]
          + [share?.high, share?.low].map { .estimate(line.cost(at: $0), currency: currency) }
      },
      .each(ages) { place, age in
        [
          .rate("roas_\(age)") { line in
            let (proceeds, spend) = line.sums.returns[place]
            return spend > 0 ? Double(proceeds) / Double(spend) : nil
          }
        ]
      },
      SumsColumn(ReportColumn.bounded("break_even_day", .count)) { line, _ in
        [line.breakEven?.day, line.breakEven?.low, line.breakEven?.high].map(count)
      },
      .rate("regained") { line in line.spend.map { Double(line.sums.proceeds) / Double($0) } },
      .text("status", \.status), .count("installs", \.sums.installs),
      .money("cost_per_install", \.spend, per: { $0.sums.installs ?? 0 }),
    ]
  }

  private static func count(_ count: Int?) -> ReportValue { count.map { .count($0) } ?? .percent(nil) }

  /// Returns a row for all of each app, and for all apps if there are several; days cannot be added up.
  ///
  /// Cost and return are those of the rows with spend: other users' payments are no return on it.
  private static func totals(
    _ query: ReportQuery, _ rows: [(labels: [String], sums: PaybackSums)], _ currency: String
  ) -> [SumsRows<Line>.Row] {
    var totals: [String: PaybackSums] = [:]
    var bought: [String: PaybackSums] = [:]
    func add(_ sums: PaybackSums, to totals: inout [String: PaybackSums], _ name: String) {
      if totals[name] == nil { totals[name] = sums } else { totals[name]?.add(sums) }
    }
    for row in rows {
      for name in Set([row.labels[0], query.apps.count > 1 ? "" : row.labels[0]]) {
        add(row.sums, to: &totals, name)
        if row.sums.spend > 0 { add(row.sums, to: &bought, name) }
      }
    }
    return totals.sorted { precedesInBytes($0.key, $1.key) }.map { app, sums in
      ([app] + query.by.map { _ in "" } + [currency], Line(sums: bought[app] ?? sums, all: sums))
    }
  }

  // MARK: Prediction

  private static let predictedDefinition = [
    "predicted_break_even_day: PREDICTED, for a row that is not_yet. It is the first day d, up to "
      + "\(PaybackPrediction.days), at which proceeds of all users so far, plus the payments that active "
      + "subscriptions are expected to make by age d, reach the spend; not before the age at which observed proceeds "
      + "per user are highest. A row that has paid back keeps its day",
    "A payment that is due counts as the last one after tax and commission, less the share of the plan's renewals that "
      + "was refunded, × S(n) ÷ S(k): the chance of payment n after k payments, with the survival that value uses "
      + "(7.6). First purchases, trials that are open and users who come back count as 0",
    "Its 95% interval has the same resamples of users, each with renewals drawn again and a new fit. "
      + "predicted_regained: share of the spend that is expected within \(PaybackPrediction.days) days",
    "predicted_status: not_known while a plan with 20% of the active subscriptions has fewer than 10 known renewals "
      + "(D6.9), and the spend is not reached before its next payment. If its fit is at its limit, only the interval "
      + "is shown (7.6)",
  ]

  private static let predictedColumns: [SumsColumn<Line>] = [
    SumsColumn(ReportColumn.bounded("predicted_break_even_day", .count)) { line, _ in
      [line.prediction?.day, line.prediction?.low, line.prediction?.high].map(count)
    },
    SumsColumn(ReportColumn.rate("predicted_regained")) { line, _ in
      [line.prediction?.regained, line.prediction?.regainedLow, line.prediction?.regainedHigh].map { .rate($0) }
    },
    .text("predicted_status") { line in
      line.prediction.map { line.status == "not_yet" ? $0.status.rawValue : line.status }
    },
    .text("predicted_note", \.prediction?.note),
  ]

  private static func predictions(
    _ query: ReportQuery, _ rows: [(key: [String], value: PaybackCohort)], _ observed: [PaybackBreakEven]
  ) throws -> [PaybackPrediction] {
    let open = rows.indices.filter { place in
      rows[place].value.spend > 0 && !rows[place].value.persons.isEmpty && observed[place].day == nil
    }
    var renewals = try PaybackRenewals(query, open.lazy.map { rows[$0].value })
    var predictions = observed.map { PaybackPrediction($0) }
    let plans = try open.map { try renewals.plans(rows[$0].value, rows[$0].key) }
    let made = open.indices.concurrentMap { number in
      let row = rows[open[number]]
      let app = query.apps.first { $0.name == row.key[0] }
      return PaybackPrediction(
        row.value, observed[open[number]], plans[number], daysOfData: app.map { query.daysOfData($0.id) } ?? 0)
    }
    for (number, place) in open.enumerated() { predictions[place] = made[number] }
    return predictions
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
