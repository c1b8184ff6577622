internal import Lifecycle
public import Store

/// Outcomes of a paywall view by the number of earlier views and the days since the last one.
public enum Cadence {
  /// Ranges of the number of times a user has seen a paywall, this view included.
  private static let times = [(1, "1"), (2, "2"), (3, "3"), (4, "4-5"), (6, "6-10"), (11, "11+")]
  /// Ranges of the days since the previous view; the first view has none.
  private static let gaps: [(Int64, String)] = [
    (0, "0"), (1, "1"), (2, "2-3"), (4, "4-7"), (8, "8-14"), (15, "15-30"), (31, "31+"),
  ]
  /// The split by the number of paywalls seen.
  static let seen = "times_seen"
  private static let splits = [seen, "days_since_last"]

  struct Sums {
    var views = 0
    var persons = 0
    var trial = 0
    var paid = 0
    var trials = 0
    var cancelled = 0
    var immature = 0
    fileprivate var lastPerson: Int32?
  }

  fileprivate struct Outcome {
    var trial = false
    var paid = false
    var trials = 0
    var cancelled = 0
  }

  /// The trials and purchases of a user.
  private struct Steps {
    /// The introductory ones.
    var trials: [TrialUnit]
    var direct: [Int64]
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, by: .cadence)
    let horizons = try Funnel.horizons(query)
    let sumsOfRows = try sumsOfRows(query, horizons)
    return query.report(
      "cadence", title: "Paywalls by how often they were seen before",
      definition: [
        "Do not compare the rows: they have different users. Users see a paywall again only after saying no, and "
          + "heavy users see it more often. To measure what one more view brings, show it again to a random half",
        "views: paywall views at least a horizon before the end of the data. Later ones are too recent to count "
          + "(immature) (3.3)",
        "times_seen: whether it was the user's first, second, … view of any paywall of the app. days_since_last: "
          + "days since the view before",
        "A trial or purchase belongs to the user's last view in the 7 d before it (2.10). trial: introductory "
          + "trials. paid: trials that converted, and purchases without a store trial (3.2)",
        "trial_cancel_rate: share of the introductory trials that are over and were cancelled (4.5)",
        "Wilson's 95% intervals treat views as independent. From the range 4-5, a row can count several views of one user",
      ],
      own: [query.horizonParameter(horizons)],
      notes: { query.horizonNotes($0, horizons) },
      columns: columns, rows: query.rows(sumsOfRows, keys: ["split", "range"]) { [splits[$0.split], label($0)] })
  }

  /// Returns the report as two tables: by the number of earlier views, and by the days since the last one, without first
  /// views, which have none.
  static func forPeople(_ report: Report) -> [Report] {
    guard let split = report.place("split"), let range = report.place("range") else { return [report] }
    func part(_ name: String, _ rows: [[ReportValue]]) -> Report {
      var part = report
      part.name = name
      part.columns.remove(at: split)
      part.rows = rows.map { row in row.enumerated().filter { $0.offset != split }.map(\.element) }
      return part
    }
    var bySeen = part("cadence", report.rows.filter { $0[split] == .text(splits[0]) })
    bySeen.emptyNote = report.emptyNote
    let gaps = report.rows.filter { $0[split] == .text(splits[1]) && $0[range] != .text(first) }
    if gaps.isEmpty { return [bySeen] }
    var byGap = part("cadence_gaps", gaps)
    byGap.columns[range - (split < range ? 1 : 0)] = ReportColumn(splits[1], .key)
    return [bySeen, byGap]
  }

  private static let first = "first"

  private static let columns: [SumsColumn<Sums>] = [
    .count("persons", \.persons), .count("views", \.views), .count("trial_views", \.trial),
    .count("paid_views", \.paid), .share("trial_rate", \.trial, of: \.views), .share("paid_rate", \.paid, of: \.views),
    .count("trials", \.trials), .count("trial_cancelled", \.cancelled),
    .share("trial_cancel_rate", \.cancelled, of: \.trials), .count("immature", \.immature),
  ]

  private static func label(_ key: BucketKey) -> String {
    key.split == 0 ? times[key.bucket].1 : key.bucket == 0 ? first : gaps[key.bucket - 1].1
  }

  /// The number of ranges of both splits.
  private static let ranges = times.count + gaps.count + 1

  static func sumsOfRows(_ query: ReportQuery, _ horizons: [NameID: Int64]) throws -> [BucketKey: Sums] {
    let steps = try steps(query)
    let asOfs = query.asOfs
    var rows = try ScannedRows(query)
    // Each row has the ranges of the first split, then those of the second.
    var sumsOfRows: [Sums] = []
    var outcomes: [Outcome] = []
    try query.facts.forEachPerson(withEvents: [.paywallImpression]) { person, views in
      outcomes.removeAll(keepingCapacity: true)
      outcomes.append(contentsOf: repeatElement(Outcome(), count: views.count))
      let app = views[views.startIndex].app
      let (asOf, horizon) = (asOfs[app] ?? .min, horizons[app] ?? 0)
      if let own = steps[person] { credit(own, to: views, &outcomes, asOf: asOf) }
      for (number, view) in views.enumerated() {
        guard let row = rows.place(of: view) else { continue }
        while sumsOfRows.count < (row + 1) * ranges { sumsOfRows.append(Sums()) }
        let time = times.lastIndex { $0.0 <= number + 1 } ?? 0
        let days = number == 0 ? nil : (view.ts - views[views.startIndex + number - 1].ts) / day
        let gap = days.flatMap { days in gaps.lastIndex { $0.0 <= days } }.map { $0 + 1 } ?? 0
        for range in [time, times.count + gap] {
          sumsOfRows[row * ranges + range].add(outcomes[number], of: person, isMature: view.ts + horizon <= asOf)
        }
      }
    }
    var byKey: [BucketKey: Sums] = [:]
    for (place, sums) in sumsOfRows.enumerated() where sums.views + sums.immature > 0 {
      let (row, range) = place.quotientAndRemainder(dividingBy: ranges)
      let isTime = range < times.count
      byKey[
        BucketKey(row: rows.keys[row], split: isTime ? 0 : 1, bucket: isTime ? range : range - times.count)] = sums
    }
    return byKey
  }

  private static func credit(
    _ steps: Steps, to views: ArraySlice<ScannedEvent>, _ outcomes: inout [Outcome], asOf: Int64
  ) {
    func number(_ ts: Int64) -> Int? {
      views.lastIndex { $0.ts <= ts && ts - FoldOptions.attributionWindow < $0.ts }.map { $0 - views.startIndex }
    }
    for trial in steps.trials {
      guard let number = number(trial.start) else { continue }
      outcomes[number].trial = true
      if trial.convertedAt != nil { outcomes[number].paid = true }
      if trial.deadline <= asOf {
        outcomes[number].trials += 1
        if trial.isCancelled { outcomes[number].cancelled += 1 }
      }
    }
    for ts in steps.direct {
      if let number = number(ts) { outcomes[number].paid = true }
    }
  }

  private static func steps(_ query: ReportQuery) throws -> [Int32: Steps] {
    var steps: [Int32: Steps] = [:]
    try query.facts.forEachPersonWithCredits(withPurchases: false) { person, units, _ in
      steps[person] = Steps(
        trials: units.trials.filter(\.isIntroductory).map(\.unit),
        direct: units.conversions.filter { $0.introductoryStart == nil }.map(\.ts))
    }
    return steps
  }
}

extension Cadence.Sums {
  fileprivate mutating func add(_ outcome: Cadence.Outcome, of person: Int32, isMature: Bool) {
    guard isMature else {
      immature += 1
      return
    }
    views += 1
    if lastPerson != person { persons += 1 }
    lastPerson = person
    if outcome.trial { trial += 1 }
    if outcome.paid { paid += 1 }
    trials += outcome.trials
    cancelled += outcome.cancelled
  }
}
