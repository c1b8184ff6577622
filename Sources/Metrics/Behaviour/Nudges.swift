internal import EventModel
internal import Lifecycle
internal import Statistics
public import Store

/// Compares trials that got a reminder with trials open at the same age without one; implements definitions 4.7.
public enum Nudges {
  private static let hour: Int64 = 3_600_000
  /// Ranges of the hours from a reminder to the end of the trial.
  private static let hours: [(from: Int64, name: String)] = [
    (0, "0-6"), (6, "6-24"), (24, "24-48"), (48, "48-72"), (72, "72+"),
  ]
  /// The least trials in a group, and the least trials with and without a conversion in it, for a difference to be
  /// printed (D2.3).
  private static let leastTrials = 50
  private static let leastOutcomes = 10

  struct Sums {
    var nudges = 0
    var trials = 0
    var converted = 0
    var introductory = 0
    var cancelled = 0
    var comparison = Landmarks.Comparison()

    mutating func add(nudges: Int, isConverted: Bool, isIntroductory: Bool, isCancelled: Bool) {
      self.nudges += nudges
      trials += 1
      if isConverted { converted += 1 }
      if isIntroductory { introductory += 1 }
      if isCancelled { cancelled += 1 }
    }

    /// The reason why the row has no difference; `nil` if it has one.
    var reason: Reason? {
      if comparison.exposed == 0 { return .noOpenTrial }
      if let share = comparison.soonShare, share > 0.5 { return .remindedSoon }
      let groups = [
        (comparison.exposed, comparison.exposedOutcomes), (comparison.others, comparison.otherOutcomes),
      ]
      let isEnough = groups.allSatisfy { trials, converted in
        trials >= leastTrials && min(converted, trials - converted) >= leastOutcomes
      }
      return isEnough ? nil : .tooFew
    }

    /// The difference; `nil` if there is a ``reason`` for none.
    var difference: RiskSetDifference? { reason == nil ? comparison.difference : nil }
  }

  /// A reason why a row has no difference.
  enum Reason: String, CaseIterable {
    case noOpenTrial = "no_open_trial"
    case remindedSoon = "reminded_soon"
    case tooFew = "too_few"

    var sentence: String {
      switch self {
      case .noOpenTrial:
        "no_open_trial: no difference, because every trial still open at that age got the reminder"
      case .remindedSoon:
        "reminded_soon: no difference, because most trials without the reminder got theirs within a day"
      case .tooFew:
        "too_few: no difference yet, because a group has fewer than 50 trials, or fewer than 10 that converted or 10 "
          + "that did not"
      }
    }
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, by: .nudges)
    let sumsOfRows = try sumsOfRows(query)
    let reasons = Set(sumsOfRows.values.compactMap(\.reason))
    return query.report(
      "nudges", title: "Conversions after a trial reminder",
      definition: [
        "A row has the reminders sent in that range of hours before the trial's end. converted: trials with such a "
          + "reminder that paid after it",
        "others: trials that were open at the same age without the reminder, and have the same kind, length, number "
          + "of earlier reminders and auto-renew state. compared: reminders that have others",
        "others_reminded_soon: share of the others that got their own reminder within a day",
        "difference: reminded_rate − others_rate, the share that converted after the reminder minus the share of "
          + "the others that converted after the same age. It has a 95% interval",
        "A difference does not prove that reminders work, because your rules or your team chose who gets one. To "
          + "measure the effect, split trials at random",
      ] + Reason.allCases.filter(reasons.contains).map(\.sentence),
      readsEvents: true, columns: columns,
      rows: query.rows(sumsOfRows, keys: ["hours_before_end"]) { [hours[$0.bucket].name] })
  }

  private static let columns: [SumsColumn<Sums>] = [
    .count("nudges", \.nudges), .count("trials", \.trials), .count("converted", \.converted),
    .share("trial_to_paid_rate", \.converted, of: \.trials), .count("introductory_trials", \.introductory),
    .count("cancelled", \.cancelled), .share("cancel_rate", \.cancelled, of: \.introductory),
    .count("compared", \.comparison.exposed), .count("others", \.comparison.others),
    .rate("reminded_rate") { $0.difference?.exposedShare }, .rate("others_rate") { $0.difference?.otherShare },
    .rate("others_reminded_soon", \.comparison.soonShare),
    SumsColumn(ReportColumn.rate("difference")) { sums, _ in
      let interval = sums.difference?.interval()
      return [sums.difference?.estimate, interval?.low, interval?.high].map { .rate($0) }
    },
    .text("reason") { $0.reason?.rawValue ?? "" },
  ]

  static func sumsOfRows(_ query: ReportQuery) throws -> [BucketKey: Sums] {
    var nudges: [Int32: [Int64]] = [:]
    var switches = RenewalSwitches()
    var apps: Set<NameID> = []
    try query.facts.forEachEvent([.trialNudge] + RenewalSwitches.kinds) { event in
      if event.kind == .trialNudge {
        nudges[event.person, default: []].append(event.ts)
        apps.insert(event.app)
      } else {
        switches.add(event)
      }
    }
    if nudges.isEmpty { return [:] }
    var sumsOfRows: [BucketKey: Sums] = [:]
    var landmarks = Landmarks(ranges: hours.count)
    var rows = try UnitRows(query)
    let asOfs = query.asOfs
    try query.facts.forEachPersonWithCredits(withPurchases: false) { person, units, cellKey in
      rows.person = person
      for trial in units.trials where apps.contains(trial.app) {
        guard let asOf = asOfs[trial.app], trial.unit.deadline <= asOf else { continue }
        let (start, end, converted) = (trial.unit.start, trial.unit.end, trial.unit.convertedAt)
        // At one instant, a reminder comes after the start and before a conversion.
        let own = (nudges[person] ?? []).filter { $0 >= start && $0 < end && $0 <= converted ?? .max }.sorted()
        func range(_ ts: Int64) -> Int { hours.lastIndex { end - ts >= $0.from * hour } ?? 0 }
        var moments: [(age: Int64, range: Int)] = []
        for ts in own where moments.last?.age != ts - start { moments.append((ts - start, range(ts))) }
        let kind = Int64(cellKey(trial.key.cellKey).trialKind)
        for place in rows.rowPlaces(trial.key, units.credits[trial.credits], at: start, cellKey) {
          for bucket in Set(own.map(range)) {
            sumsOfRows[BucketKey(row: rows.keys[place], split: 0, bucket: bucket), default: Sums()].add(
              nudges: own.count { range($0) == bucket }, isConverted: converted != nil,
              isIntroductory: trial.isIntroductory, isCancelled: trial.isIntroductory && trial.unit.isCancelled)
          }
          landmarks.add(
            Landmarks.Life(
              person: person, row: place, group: 4 * ((end - start + day / 2) / day) + kind,
              lastOpen: min(end - 1, converted ?? .max) - start, hasOutcome: converted != nil, moments: moments,
              changes: switches.switches(of: person, from: start).map { (age: $0.ts - start, isOn: $0.isOn) }))
        }
      }
    }
    for (number, comparison) in landmarks.comparisons() {
      let (place, bucket) = number.quotientAndRemainder(dividingBy: hours.count)
      sumsOfRows[BucketKey(row: rows.keys[place], split: 0, bucket: bucket)]?.comparison = comparison
    }
    return sumsOfRows
  }
}
