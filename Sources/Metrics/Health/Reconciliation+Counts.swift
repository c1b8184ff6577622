internal import EventModel
internal import Lifecycle
internal import Store

/// Counts the stored facts in the way the App Store's reports count.
struct StoredCounts {
  private var counts: [ReconciledCount] = []
  /// The products of each app, with their plans.
  private(set) var products: [String: [String: Plan?]] = [:]

  init(_ query: ReportQuery) throws {
    if query.apps.isEmpty { return }
    let stores = ["app_store", "mac_app_store"].compactMap { query.facts.number(ofName: $0) }
    let isApple = "c.store IN (\(([0] + stores).map(String.init).joined(separator: ", ")))"
    let apps = "f.app IN (\(query.apps.map { String($0.id) }.joined(separator: ", ")))"
    let (trial, spell) = (query.facts.table(.trial), query.facts.table(.spell))
    let payment = query.facts.table(.payment)
    struct Key: Hashable {
      var app: NameID
      var day: Int64
      var product: NameID
      var plan: Int64
    }
    /// - Parameters:
    ///   - rows: Query for `app`, `ts`, `product` and `plan` of each unit.
    ///   - known: The column of the instant from which a unit counts.
    func add(_ measure: Reconciliation.Measure, _ rows: String, known: String = "NULL") throws {
      var quantities: [Key: Int] = [:]
      try query.facts.forEachRow(
        "SELECT app, ts, product, COALESCE(plan, -1), \(known) FROM (\(rows)) AS u"
      ) { row in
        let app = row.int32(0)
        if let known = row.optional(4), known > query.asOfs[app] ?? .min { return }
        let key = Key(app: app, day: query.localTime.day(of: row[1]), product: row.int32(2), plan: row[3])
        quantities[key, default: 0] += 1
      }
      for (key, quantity) in quantities.sorted(by: {
        ($0.key.app, $0.key.day, $0.key.product, $0.key.plan) < ($1.key.app, $1.key.day, $1.key.product, $1.key.plan)
      }) {
        let (app, product) = (query.facts.name(Int(key.app)), query.facts.name(Int(key.product)))
        products[app, default: [:]][product] = Plan(rawValue: UInt8(truncatingIfNeeded: key.plan))
        counts.append(
          ReconciledCount(
            report: "", app: app, day: Int(key.day), product: product, measure: measure, quantity: quantity))
      }
    }
    let ofTrial = """
      FROM \(trial) AS f JOIN client AS c ON c.id = f.client
      WHERE f.credit = 0 AND f.trial_kind = 1 AND \(apps) AND \(isApple)
      """
    try add(
      .trials, "SELECT f.app AS app, f.start AS ts, f.product AS product, f.plan AS plan \(ofTrial)")
    try add(
      .cancellations,
      """
      SELECT f.app AS app, f.trial_end AS ts, f.product AS product, f.plan AS plan, f.deadline AS known \(ofTrial)
        AND f.converted_at IS NULL
      UNION ALL
      SELECT f.app AS app, f.cover_end AS ts, f.product AS product, f.plan AS plan, f.grace_end AS known
      FROM \(spell) AS f JOIN client AS c ON c.id = f.client
      WHERE f.credit = 0 AND \(apps) AND \(isApple)
        AND f.reason <> \(ChurnReason.refund.rawValue)
      """, known: "known")
    func payments(_ condition: String) -> String {
      """
      SELECT f.app AS app, f.ts AS ts, f.product AS product, f.plan AS plan
      FROM \(payment) AS f
      JOIN \(spell) AS s ON s.person = f.person AND s.number = f.spell AND s.credit = 0
      JOIN client AS c ON c.id = s.client
      WHERE \(apps) AND \(isApple) AND f.plan <> \(Plan.lifetime.rawValue) AND \(condition)
      """
    }
    let isReturn = "s.ordinal > 1 AND f.ts = s.start"
    let conversion = EventKind.conversion.rawValue
    try add(.conversions, payments("f.kind = \(conversion) AND NOT (\(isReturn))"))
    try add(.renewals, payments("f.kind = \(EventKind.renewal.rawValue) AND NOT (\(isReturn))"))
    try add(.reactivations, payments(isReturn))
    try add(.payments, payments("f.price > 0"))
    try add(
      .refunds,
      """
      SELECT f.app AS app, f.ts AS ts, p.product AS product, p.plan AS plan
      FROM \(query.facts.table(.refund)) AS f
      JOIN \(payment) AS p ON p.person = f.person AND p.number = f.payment
      JOIN \(spell) AS s ON s.person = f.person AND s.number = f.spell AND s.credit = 0
      JOIN client AS c ON c.id = s.client
      WHERE \(apps) AND \(isApple)
      """)
  }

  /// Returns the counts that a report of an app would contain, over all days.
  func rows(of report: String, app: String) -> [ReconciledCount] {
    counts.filter { count in
      guard count.app == app else { return false }
      return switch count.measure {
      case .payments: report == ReportedCount.Report.subscriber.rawValue
      case .trials, .refunds: true
      default: report == ReportedCount.Report.subscriptionEvent.rawValue
      }
    }.map { count in
      var count = count
      count.report = report
      return count
    }
  }
}

/// The rows of Apple's reports with apps and products named as in the store.
struct ReportedRows {
  struct App: Hashable {
    var report: String
    var app: String
  }

  private(set) var rows: [ReconciledCount] = []
  /// The first to the last day of each app's reports.
  private(set) var days: [App: ClosedRange<Int>] = [:]

  /// - Parameter given: Store products by the name or Apple ID of a subscription.
  init(
    _ all: [(of: ReportedCount, quantity: Int)], _ query: ReportQuery, _ stored: StoredCounts, given: [String: String]
  ) {
    let reportedApps = Set(all.map(\.of.app))
    let storedApps = query.apps.map(\.name)
    /// Returns the store's name of an app. If the reports and the store have one app each, the two match whatever the
    /// title.
    func app(_ name: String) -> String {
      if storedApps.contains(name) { return name }
      return reportedApps.count == 1 && storedApps.count == 1 ? storedApps[0] : name
    }
    var plans: [String: [Plan: Set<String>]] = [:]
    for (row, _) in all {
      if let plan = row.plan { plans[app(row.app), default: [:]][plan, default: []].insert(row.product) }
    }
    func product(_ row: ReportedCount, of app: String) -> String {
      let known = stored.products[app] ?? [:]
      if let given = given[row.product] ?? given[row.productID] { return given }
      if known[row.product] != nil { return row.product }
      if known[row.productID] != nil { return row.productID }
      if let plan = row.plan, plans[app]?[plan]?.count == 1 {
        let ofPlan = known.filter { $0.value == plan }
        if ofPlan.count == 1, let only = ofPlan.first { return only.key }
      }
      return row.product.isEmpty ? row.productID : row.product
    }
    let from = query.options.from?.daysSince1970 ?? .min
    let to = query.options.to?.daysSince1970 ?? .max
    for (row, quantity) in all where row.day >= from && row.day < to {
      let name = app(row.app)
      guard query.options.apps.isEmpty || query.options.apps.contains(name) else { continue }
      let key = App(report: row.report.rawValue, app: name)
      let known = days[key] ?? row.day...row.day
      days[key] = min(known.lowerBound, row.day)...max(known.upperBound, row.day)
      rows.append(
        ReconciledCount(
          report: row.report.rawValue, app: name, day: row.day, product: product(row, of: name),
          measure: Reconciliation.Measure(event: row.event, offerType: row.offerType), quantity: quantity))
    }
  }
}
