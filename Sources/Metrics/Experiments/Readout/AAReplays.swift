public import Basics
internal import Statistics
public import Store

/// Reports how often each method finds a significant difference between two arms split at random from an app's own past
/// users (`aa-replay`).
public enum AAReplays {
  public static let repetitions = 1...100_000
  static let alpha = 0.05

  /// - Parameters:
  ///   - repetitions: In ``repetitions``.
  ///   - seed: One seed gives the same rates for the same store content.
  /// - Throws: ``ReplayError`` if no app has past users.
  public static func report(
    _ snapshot: StoreSnapshot, _ options: ReportOptions, metric: ReplayMetric, repetitions: Int, seed: UInt64
  ) throws -> Report {
    let query = try ReportQuery(snapshot, options.split(by: []), defaultBy: [])
    let past = try PastUsers.read(query, metric)
    var notes: [String: [String]] = [:]
    var rows: [[ReportValue]] = []
    for app in query.apps {
      guard let users = past[app.id] else { continue }
      let replay = AAReplay(users.people, alpha: alpha)
      let rates = replay.rates(repetitions: repetitions, generator: CounterGenerator(seed: seed))
      for rate in rates {
        guard let name = name(of: rate.method.target, metric, currency: users.currency) else { continue }
        rows.append(
          [
            .text(app.name), .text(name), .text(rate.method.name),
            .text(rate.method.allowsDailyLooks ? "daily looks" : "one look"), .count(users.people.count),
            .count(replay.looks), .count(repetitions), .count(rate.atEnd), .count(rate.daily),
          ] + ReportValue.share(rate.atEnd, of: repetitions) + ReportValue.share(rate.daily, of: repetitions)
            + [.text(reading(rate.atEnd, of: repetitions)), .text(reading(rate.daily, of: repetitions))])
      }
      let converted = users.people.count { $0.isConverted }
      var lines = ["\(users.people.count) past users, \(converted) with \(metric.rawValue)"]
      if !replay.methods.contains(.conversionCUPED) {
        lines.append("no CUPED of \(metric.rawValue): no user was active in the 30 days before")
      }
      if users.currency != nil, !replay.methods.contains(.revenueCUPED) {
        lines.append("no CUPED of revenue: no user had paid in the 30 days before")
      }
      notes[app.name] = lines
    }
    if rows.isEmpty { throw ReplayError.noPastUsers(query.apps.map(\.name)) }
    var report = query.report(
      "aa-replay", title: "A/A replay", definition: definition,
      own: [
        Report.Parameter(name: "metric", value: metric.rawValue),
        Report.Parameter(name: "repetitions", value: String(repetitions)),
        Report.Parameter(name: "seed", value: String(seed)), Report.Parameter(name: "alpha", value: "\(alpha)"),
      ], notes: { notes[$0.name] ?? ["no past users"] }, columns: columns, rows: rows)
    report.parameters.removeAll { ["attribution", "by", "where"].contains($0.name) }
    return report
  }

  /// - Returns: `nil` for revenue if no user paid.
  private static func name(of target: ReplayMethod.Target, _ metric: ReplayMetric, currency: String?) -> String? {
    switch target {
    case .conversion: metric.rawValue
    case .revenue: currency.map { "revenue:\($0)" }
    case .revenuePerPayer: currency.map { "revenue_per_payer:\($0)" }
    }
  }

  /// Returns whether the alarms exceed the level by more than the draws can explain.
  private static func reading(_ alarms: Int, of repetitions: Int) -> String {
    let interval = wilsonInterval(successes: Double(alarms), trials: Double(repetitions))
    return (interval?.low ?? 0) > alpha ? "too often" : "holds"
  }

  private static let columns =
    ["app", "metric", "method"].map { ReportColumn($0, .key) } + [ReportColumn("made_for", .text)]
    + ["users", "looks", "repetitions", "end_alarms", "daily_alarms"].map { ReportColumn($0, .count) }
    + ReportColumn.rate("end_rate") + ReportColumn.rate("daily_rate")
    + [ReportColumn("end_reading", .text), ReportColumn("daily_reading", .text)]

  private static let definition = [
    "Past users are split at random into two equal arms, many times. No arm is different, so every alarm is false. "
      + "users: by their first paywall view or exposure in the app, at least 30 d before the end of the data",
    "metric: as in experiments, counted from that first view (8.2). revenue: net within 30 d, in the currency with "
      + "most payers",
    "score test: Miettinen–Nurminen. chance to win: above 95% for either arm, with a flat prior. O'Brien–Fleming, "
      + "Pocock: Lan–DeMets bounds. asymptotic CS, conversion share: always valid, tuned to the users there are",
    "experiment's own: the method of `experiment` without a plan. capped Welch: revenue capped at the 99.9% "
      + "quantile. CUPED: adjusted by activity or revenue in the 30 d before",
    "end: one look when all users are in. daily: a look after each day, with an alarm at any of them. For a method "
      + "with daily looks, end uses its bound at the last day",
    "Rates have Wilson's 95% interval over the splits. too often: the whole interval is above 5%",
  ]
}

/// The error if there is nothing to replay.
public enum ReplayError: ReadableError {
  case noPastUsers([String])

  public var description: String {
    switch self {
    case .noPastUsers(let apps):
      "no past users\(apps.isEmpty ? "" : " of \(apps.joined(separator: ", "))"): no user first saw a paywall or an "
        + "experiment on the days asked for and 30 days or more before the end of the data"
    }
  }
}
