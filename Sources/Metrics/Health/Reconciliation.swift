internal import EventModel
public import Store

/// Compares App Store Connect's Subscription Event and Subscriber reports with the counts of the events (`reconcile`).
///
/// Both sides count by the reports' local day, from the first to the last day that an app's reports cover. Only events
/// of the App Store, or without a store, count.
public enum Reconciliation {
  public enum Period: String, CaseIterable, Sendable {
    case day
    case month
    case none
  }

  /// The time zone of Apple's reports.
  public static let timeZone = "America/Los_Angeles"

  /// - Parameters:
  ///   - products: The store product of a subscription in the reports, by its name or Apple ID, if the names differ and
  ///     the plan does not identify it.
  ///   - options: Only `apps`, `from`, `to`, `timeZone`, `asOf` and `grace` apply.
  public static func report(
    _ snapshot: StoreSnapshot, _ options: ReportOptions, by period: Period, products: [String: String]
  ) throws -> Report {
    let query = try ReportQuery(snapshot, options.split(by: []), defaultBy: [])
    let stored = try StoredCounts(query)
    let reported = ReportedRows(try snapshot.reportedCounts(), query, stored, given: products)
    var counts: [Key: (reported: Int, stored: Int)] = [:]
    func key(_ row: ReconciledCount) -> Key {
      Key(
        app: row.app, period: label(row.day, period), product: row.product, report: row.report, measure: row.measure)
    }
    for row in reported.rows { counts[key(row), default: (0, 0)].reported += row.quantity }
    for (report, days) in reported.days {
      for row in stored.rows(of: report.report, app: report.app) where days.contains(row.day) {
        counts[key(row), default: (0, 0)].stored += row.quantity
      }
    }
    let rows = counts.sorted { $0.key < $1.key }.map { key, count -> [ReportValue] in
      let isCompared = key.measure.isCompared
      let (reported, stored) = count
      return [.text(key.app)] + (period == .none ? [] : [.text(key.period)]) + [
        .text(key.product), .text(key.measure.name), .count(reported), isCompared ? .count(stored) : .percent(nil),
        isCompared ? .count(stored - reported) : .percent(nil),
        isCompared && reported > 0 ? .rate(Double(stored - reported) / Double(reported)) : .rate(nil),
        .text(key.report),
      ]
    }
    var report = query.report(
      "reconcile", title: "App Store Connect's reports and your events",
      definition: [
        "reported: counts of App Store Connect's Subscription Event and Subscriber reports, in their calendar. "
          + "stored: counts of your events, from the first to the last day of the reports",
        "difference: stored − reported. share: difference ÷ reported. On both sides, cancellations count when the "
          + "period ends",
      ],
      columns: [ReportColumn("app", .key)] + (period == .none ? [] : [ReportColumn(period.rawValue, .key)]) + [
        ReportColumn("product", .key), ReportColumn("measure", .key), ReportColumn("reported", .count),
        ReportColumn("stored", .count), ReportColumn("difference", .count), ReportColumn("share", .rate),
        ReportColumn("report", .text),
      ], rows: rows)
    // Other options do not affect this report.
    report.parameters.removeAll { !["app", "from", "to", "timezone"].contains($0.name) }
    let given = products.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    report.parameters += [
      Report.Parameter(name: "by", value: period.rawValue),
      Report.Parameter(name: "product", value: given.isEmpty ? "none" : given.joined(separator: ",")),
    ]
    return report
  }

  private static func label(_ day: Int, _ period: Period) -> String {
    let text = CivilDate(daysSince1970: day).description
    return switch period {
    case .day: text
    case .month: String(text.prefix(7))
    case .none: ""
    }
  }

  private struct Key: Hashable, Comparable {
    var app: String
    var period: String
    var product: String
    var report: String
    var measure: Measure

    static func < (left: Key, right: Key) -> Bool {
      for (a, b) in [
        (left.app, right.app), (left.period, right.period), (left.product, right.product),
      ] where a != b {
        return precedesInBytes(a, b)
      }
      return (left.measure.order, left.measure.name, left.report)
        < (right.measure.order, right.measure.name, right.report)
    }
  }

  /// A measure that both sides count.
  struct Measure: Hashable {
    let name: String
    let order: Int

    private init(_ name: String, _ order: Int) { (self.name, self.order) = (name, order) }

    static let trials = Measure("trials", 0)
    static let conversions = Measure("conversions", 1)
    static let renewals = Measure("renewals", 2)
    static let reactivations = Measure("reactivations", 3)
    /// Payments in the Subscriber report, which does not separate first from later payments.
    static let payments = Measure("payments", 4)
    static let cancellations = Measure("cancellations", 5)
    static let refunds = Measure("refunds", 6)

    /// An event of the reports that matches none of these, under its name there.
    private static func other(_ event: String) -> Measure { Measure(event, 7) }

    var isCompared: Bool { order < 7 }

    /// Maps an event of the reports to the measure that it counts (Apple, App Store Connect Help, "Subscription
    /// events").
    ///
    /// - Parameters: Values from the report, in any case.
    init(event: String, offerType: String) {
      let name = event.lowercased()
      let isFree = offerType.lowercased() == "free trial"
      if name == "refund" {
        self = .refunds
      } else if name == "payment" {
        self = .payments
      } else if name == "free trial" {
        self = .trials
      } else if name.hasPrefix("cancel") {
        self = .cancellations
      } else if name.hasPrefix("billing retry") || name.hasPrefix("grace period") || name.hasPrefix("billing grace") {
        self = .other(event)
      } else if name.hasPrefix("start ") || name == "subscribe" || name == "opt-in" {
        self = isFree ? .trials : .conversions
      } else if name.hasPrefix("reactivate") {
        self = isFree ? .trials : .reactivations
      } else if name.hasPrefix("paid subscription from") || name.hasSuffix("from introductory offer") {
        self = .conversions
      } else if name.hasPrefix("renew") {
        self = .renewals
      } else {
        self = .other(event)
      }
    }
  }
}

/// A count of either side.
struct ReconciledCount {
  var report: String
  var app: String
  /// Days since 1970 in the report's calendar.
  var day: Int
  var product: String
  var measure: Reconciliation.Measure
  var quantity: Int
}
