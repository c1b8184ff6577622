internal import EventModel
internal import Lifecycle
internal import Statistics
internal import Store

/// Splits the primary by what is known before the exposure, and by its week (D8).
///
/// For shares that an exposure's row tells: whoever has no such row has no segments.
struct SegmentRule {
  let exposed: ExposedPersons
  let primary: ExperimentMetric
  let plan: ExperimentPlan
  /// α of one comparison (D2.4).
  let alpha: Double
  /// N* of control and a treatment, by the arm's place (D2.1).
  let plannedUnits: (_ arm: Int) -> Double

  /// Below these a level of an arm goes to `other` (D8.1).
  private static let leastUsers = 50.0
  private static let leastOutcomes = 5.0
  static let other = "other"
  private static let leastWeeks = 3

  private struct Key: Hashable {
    var client: Int32
    /// Monday, days since 1970.
    var week: Int
    var arm: Int
  }

  private typealias Arms = [Proportion]

  private var flag: KeyPath<ExposureUnit, Bool>? {
    switch primary.name {
    case ExperimentMetric.paid.name: \.hasPaid
    case ExperimentMetric.trialStart.name: \.hasTrial
    case ExperimentMetric.refunded.name: \.isRefunded
    case ExperimentMetric.retained.name: \.isRetained
    default: nil
    }
  }

  /// - Parameter arm: The treatment's place among the arms; 0 is control.
  /// - Returns: Segments by dimension, and the trend by week of exposure where there are three whole, matured weeks.
  func readouts(arm: Int, isGain: Bool?) throws -> (segments: [SegmentsReadout], trend: TrendReadout?) {
    guard let flag else { return ([], nil) }
    var tallies: [Key: (users: Int, outcomes: Int)] = [:]
    var finder = exposed.armFinder
    let horizon = primary.horizon
    try exposed.source.forEachExposure { variant, unit, _ in
      guard !unit.isCrossed, let place = finder.arm(variant), place == 0 || place == arm,
        unit.ts + horizon <= exposed.asOf
      else { return }
      let key = Key(client: unit.client, week: Self.monday(of: Int(unit.ts / day)), arm: place == 0 ? 0 : 1)
      tallies[key, default: (0, 0)].users += 1
      if unit[keyPath: flag] { tallies[key, default: (0, 0)].outcomes += 1 }
    }
    let clients = try exposed.query.facts.clients()
    let names: [(String, KeyPath<FactSource.Client, NameID>)] = [
      ("platform", \.platform), ("store", \.store), ("country", \.country), ("app_version", \.appVersion),
    ]
    var readouts = names.compactMap { dimension, part in
      segments(
        dimension, Self.grouped(tallies) { exposed.query.facts.name(Int(clients[Int($0.client)][keyPath: part])) },
        arm: arm, isGain: isGain)
    }
    let weeks = Self.grouped(tallies) { $0.week }
    let byWeek = Dictionary(
      uniqueKeysWithValues: weeks.map { (CivilDate(daysSince1970: $0.key).description, $0.value) })
    if let readout = segments("week", byWeek, arm: arm, isGain: isGain) { readouts.append(readout) }
    let adjusted = Adjustment.holm.adjusted(readouts.map(\.p))
    for place in readouts.indices {
      readouts[place].p = adjusted[place]
      readouts[place].answer = answer(readouts[place])
    }
    return (readouts, trend(weeks, variant: exposed.names[arm]))
  }

  private static func monday(of day: Int) -> Int { day - (day + 3) % 7 }

  private static func grouped<Level: Hashable>(
    _ tallies: [Key: (users: Int, outcomes: Int)], by level: (Key) -> Level
  ) -> [Level: Arms] {
    var groups: [Level: Arms] = [:]
    let none = Arms(repeating: Proportion(successes: 0, trials: 0), count: 2)
    for (key, tally) in tallies {
      groups[level(key), default: none][key.arm].trials += Double(tally.users)
      groups[level(key), default: none][key.arm].successes += Double(tally.outcomes)
    }
    return groups
  }

  private func segments(
    _ dimension: String, _ groups: [String: Arms], arm: Int, isGain: Bool?
  ) -> SegmentsReadout? {
    var levels: [(value: String, arms: Arms)] = []
    var rest = Arms(repeating: Proportion(successes: 0, trials: 0), count: 2)
    for (value, arms) in groups.sorted(by: { precedesInBytes($0.key, $1.key) }) {
      if arms.allSatisfy({ $0.trials >= Self.leastUsers && $0.successes >= Self.leastOutcomes }) {
        levels.append((value, arms))
      } else {
        for place in 0..<2 {
          rest[place].trials += arms[place].trials
          rest[place].successes += arms[place].successes
        }
      }
    }
    if rest.allSatisfy({ $0.trials > 0 }), rest.contains(where: { $0.successes > 0 }) {
      levels.append((Self.other, rest))
    }
    guard levels.count >= 2 else { return nil }
    let level = alpha / Double(levels.count)
    let found = levels.map { segment($0.value, $0.arms, arm: arm, level: level, isGain: isGain) }
    let interaction = SegmentInteraction(levels.compactMap { LogLift($0.arms[1], $0.arms[0]) })
    return SegmentsReadout(
      dimension: dimension, variant: exposed.names[arm], segments: found, q: interaction?.q, p: interaction?.p,
      spreadHigh: interaction?.spreadHigh, answer: .notKnown)
  }

  private func segment(
    _ value: String, _ arms: Arms, arm: Int, level: Double, isGain: Bool?
  ) -> SegmentsReadout.Segment {
    let (control, treatment) = (arms[0], arms[1])
    let difference = (treatment.estimate ?? 0) - (control.estimate ?? 0)
    var segment = SegmentsReadout.Segment(value: value, control: control, treatment: treatment, difference: difference)
    if let shown = control.estimate, shown > 0 { segment.lift = difference / shown }
    let error =
      (treatment.meanEstimate.variance + control.meanEstimate.variance).squareRoot()
    guard AsymptoticSequence.isReady(treatment, control), error > 0 else { return segment }
    let sequence = AsymptoticSequence(plannedUnits: plannedUnits(arm), alpha: plan.alpha)
    let half = sequence.criticalValue(units: treatment.trials + control.trials, alpha: level) * error
    let interval = Interval(low: difference - half, high: difference + half)
    segment.interval = interval
    if let isGain {
      segment.isOpposite = isGain ? primary.best(of: interval) < 0 : primary.worst(of: interval) > 0
    }
    return segment
  }

  /// D8.3.
  private func answer(_ readout: SegmentsReadout) -> SegmentsReadout.Answer {
    if let p = readout.p, p < 0.05 { return .differs }
    if let spread = readout.spreadHigh, spread < plan.minimumLift { return .same }
    return .notKnown
  }

  /// D8.5: of the weeks that lie wholly between the first exposure and the last one counted.
  private func trend(_ groups: [Int: Arms], variant: String) -> TrendReadout? {
    guard let range = exposed.exposures else { return nil }
    let (first, last) = (Int(range.lowerBound / day), Int(range.upperBound / day))
    let weeks = groups.sorted { $0.key < $1.key }.filter { monday, _ in
      monday >= first && monday + 6 <= last && Int64(monday + 7) * day + primary.horizon <= exposed.asOf
    }
    let known = weeks.compactMap { monday, arms in
      CohortTrend.Week(time: Double(monday) / 7, arms[1], arms[0]).map { (monday, arms, $0) }
    }
    guard known.count >= Self.leastWeeks, let trend = CohortTrend(known.map(\.2)) else { return nil }
    var readout = TrendReadout(
      variant: variant,
      weeks: known.map { monday, arms, week in
        TrendReadout.Week(
          day: monday, control: arms[0], treatment: arms[1], difference: week.difference,
          standardError: week.variance.squareRoot())
      }, slope: trend.slope, standardError: trend.standardError, p: trend.p, answer: .noneShown)
    if trend.p < 0.05 {
      let overall = known.reduce(0) { $0 + $1.2.difference / $1.2.variance }
      readout.answer = overall * trend.slope < 0 ? .fades : .grows
    }
    return readout
  }
}
