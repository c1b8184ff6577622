internal import EventModel
internal import Lifecycle
internal import Statistics

/// Splits the primary by dimensions known before the exposure, and by week of exposure (D8).
///
/// It covers every primary whose outcomes of single users are known.
struct SegmentRule {
  let exposed: ExposedPersons
  let primary: ExperimentMetric
  let plan: ExperimentPlan
  /// α of one comparison (D2.4).
  let alpha: Double
  /// Returns the always-valid rule of an arm's comparison at a level α.
  let sequential: (_ arm: Int, _ alpha: Double) -> SequentialRule

  /// The least users and outcomes of an arm; a level with fewer goes to ``other``.
  private static let leastUsers = 50
  private static let leastOutcomes = 5
  static let other = "other"
  private static let leastWeeks = 3

  private struct Key: Hashable {
    var client: Int32
    /// The week's Monday, in days since 1970.
    var week: Int
    var arm: Int
  }

  /// Control, then the treatment.
  private typealias Arms = [SegmentTally]

  struct Readouts {
    var segments: [SegmentsReadout] = []
    var trend: TrendReadout?
    var within: WithinUserReadout?
  }

  private var kind: ExperimentMetric.Kind { primary.kind }

  /// - Parameter arm: The treatment's place among the arms; 0 is control.
  /// - Returns: Segments by dimension; the trend by week of exposure if there are three whole, matured weeks; the trend
  ///   within users if the primary recurs.
  func readouts(arm: Int, isGain: Bool?) throws -> Readouts {
    let users = UserOutcomes(exposed: exposed, plan: plan, metric: primary, arm: arm)
    var tallies: [Key: SegmentTally] = [:]
    try users.forEach { user in
      let key = Key(client: user.client, week: Self.monday(of: Int(user.exposedAt / day)), arm: user.side)
      tallies[key, default: SegmentTally()].add(user, kind)
    }
    if tallies.isEmpty { return Readouts() }
    let clients = try ClientSegments(exposed)
    var readouts = ClientSegments.dimensions.compactMap { dimension in
      segments(
        dimension.name, Self.grouped(tallies) { clients.value(dimension, of: $0.client) }, arm: arm, isGain: isGain)
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
    var found = Readouts(segments: readouts)
    found.trend = trend(weeks, arm: arm)
    found.within = try users.weeks().flatMap { within($0, variant: exposed.names[arm]) }
    judgeTrends(&found)
    return found
  }

  private static func monday(of day: Int) -> Int { day - (day + 3) % 7 }

  private static func grouped<Level: Hashable>(
    _ tallies: [Key: SegmentTally], by level: (Key) -> Level
  ) -> [Level: Arms] {
    var groups: [Level: Arms] = [:]
    let none = Arms(repeating: SegmentTally(), count: 2)
    // In order, so that rounding is the same on every run.
    for (key, tally) in tallies.sorted(by: { precedes($0.key, $1.key) }) {
      groups[level(key), default: none][key.arm].merge(tally)
    }
    return groups
  }

  private static func precedes(_ left: Key, _ right: Key) -> Bool {
    (left.client, left.week, left.arm) < (right.client, right.week, right.arm)
  }

  /// Returns the segments of a dimension, small ones as `other`; implements D8.1 and D8.4.
  private func segments(
    _ dimension: String, _ groups: [String: Arms], arm: Int, isGain: Bool?
  ) -> SegmentsReadout? {
    var levels: [(value: String, arms: Arms)] = []
    var rest = Arms(repeating: SegmentTally(), count: 2)
    for (value, arms) in groups.sorted(by: { precedesInBytes($0.key, $1.key) }) {
      if arms.allSatisfy({ $0.users >= Self.leastUsers && $0.outcomes >= Self.leastOutcomes }) {
        levels.append((value, arms))
      } else {
        for place in 0..<2 { rest[place].merge(arms[place]) }
      }
    }
    if rest.allSatisfy({ $0.users > 0 }), rest.contains(where: { $0.outcomes > 0 }) {
      levels.append((Self.other, rest))
    }
    guard levels.count >= 2 else { return nil }
    let level = alpha / Double(levels.count)
    let found = levels.map { segment($0.value, $0.arms, arm: arm, level: level, isGain: isGain) }
    let lifts = levels.compactMap { SegmentTally.lift($0.arms[1], $0.arms[0], kind) }
    let interaction = SegmentInteraction(lifts)
    var readout = SegmentsReadout(
      dimension: dimension, variant: exposed.names[arm], segments: found, q: interaction?.q, p: interaction?.p,
      spreadHigh: interaction?.spreadHigh, answer: .notKnown)
    if let largest = SegmentInteraction.largestDifference(lifts, margin: plan.minimumLift) {
      (readout.differenceHigh, readout.timesUsers) = (largest.high, largest.times)
    }
    return readout
  }

  private func segment(
    _ value: String, _ arms: Arms, arm: Int, level: Double, isGain: Bool?
  ) -> SegmentsReadout.Segment {
    let estimates = arms.map { $0.arm(kind) }
    let difference = (estimates[1]?.mean ?? 0) - (estimates[0]?.mean ?? 0)
    var segment = SegmentsReadout.Segment(
      value: value, control: arms[0].result(kind), treatment: arms[1].result(kind), difference: difference)
    guard let control = estimates[0], estimates[1] != nil else { return segment }
    if control.mean > 0 { segment.lift = difference / control.mean }
    guard let interval = reading(arms, arm: arm, level: level)?.interval else { return segment }
    segment.interval = interval
    if let isGain {
      segment.isOpposite = isGain ? primary.best(of: interval) < 0 : primary.worst(of: interval) > 0
    }
    return segment
  }

  /// Returns the always-valid reading of the difference of these users alone.
  private func reading(_ arms: Arms, arm: Int, level: Double) -> SequentialReading? {
    let look = MeanPair.look(
      arms[1].arm(kind), arms[0].arm(kind), events: (Double(arms[1].outcomes), Double(arms[0].outcomes)), daysBefore: 0)
    var rule = sequential(arm, level)
    // All these users were followed to the horizon, so an incidence is a share of them.
    rule.countsConversions = kind == .proportion || kind == .incidence
    return look.map { rule.reading([$0], fixedP: nil) { _ in nil } }
  }

  /// Returns the difference and its standard error of users of the last two whole weeks with a known outcome, and the
  /// critical value of its always-valid interval; `nil` with fewer weeks, or too few users or payers for an interval.
  ///
  /// - Parameter cap: The most that a user counts for.
  func lastWeeks(arm: Int, cap: Double?) throws -> (difference: Double, standardError: Double, critical: Double)? {
    var weeks: [Int: Arms] = [:]
    try UserOutcomes(exposed: exposed, plan: plan, metric: primary, arm: arm).forEach { user in
      var user = user
      if let cap { user.amount = min(cap, user.amount) }
      weeks[
        Self.monday(of: Int(user.exposedAt / day)), default: Arms(repeating: SegmentTally(), count: 2)
      ][user.side].add(user, kind)
    }
    let all = wholeWeeks(weeks)
    // Of fewer than three weeks, the last two are all that the year is made of.
    guard all.count > 2 else { return nil }
    let whole = all.suffix(2)
    var arms = Arms(repeating: SegmentTally(), count: 2)
    for week in whole { for side in 0..<2 { arms[side].merge(week.value[side]) } }
    guard let critical = reading(arms, arm: arm, level: alpha)?.criticalValue, let control = arms[0].arm(kind),
      let treatment = arms[1].arm(kind)
    else { return nil }
    return (treatment.mean - control.mean, (treatment.variance + control.variance).squareRoot(), critical)
  }

  /// Returns the matured weeks that lie wholly between the first exposure and the last one counted, oldest first.
  private func wholeWeeks(_ weeks: [Int: Arms]) -> [(key: Int, value: Arms)] {
    guard let range = exposed.exposures else { return [] }
    let (first, last) = (Int(range.lowerBound / day), Int(range.upperBound / day))
    return weeks.filter { monday, _ in
      monday >= first && monday + 6 <= last && Int64(monday + 7) * day + primary.horizon <= exposed.asOf
    }.sorted { $0.key < $1.key }
  }

  /// Returns whether the effect differs between the segments; implements D8.2 and D8.3.
  ///
  /// A spread below the margin alone is not enough: its limit is 0 where imprecise lifts happen to be close.
  private func answer(_ readout: SegmentsReadout) -> SegmentsReadout.Answer {
    if let p = readout.p, p < 0.05 { return .differs }
    if let spread = readout.spreadHigh, spread < plan.minimumLift,
      let difference = readout.differenceHigh, difference < plan.minimumLift
    {
      return .same
    }
    return .notKnown
  }

  /// Returns the trend over the whole, matured weeks; implements D8.5.
  private func trend(_ groups: [Int: Arms], arm: Int) -> TrendReadout? {
    let known = wholeWeeks(groups).compactMap { monday, arms in
      SegmentTally.week(Double(monday) / 7, arms[1], arms[0], kind).map { (monday, arms, $0) }
    }
    guard known.count >= Self.leastWeeks, let trend = CohortTrend(known.map(\.2)) else { return nil }
    return TrendReadout(
      variant: exposed.names[arm],
      weeks: known.map { monday, arms, week in
        TrendReadout.Week(
          day: monday, control: arms[0].result(kind), treatment: arms[1].result(kind), difference: week.difference,
          standardError: week.variance.squareRoot(), interval: reading(arms, arm: arm, level: alpha)?.interval)
      }, slope: trend.slope, standardError: trend.standardError, p: trend.p, answer: .noneShown)
  }

  /// Returns the trend within users; implements D8.6.
  private func within(_ weeks: UserOutcomes.Weeks, variant: String) -> WithinUserReadout? {
    guard weeks.contrasts.allSatisfy({ $0.count >= Double(Self.leastUsers) }),
      weeks.outcomes.allSatisfy({ $0 >= Self.leastOutcomes }),
      let trend = WithinUserTrend(
        treatment: weeks.contrasts[1], control: weeks.contrasts[0], weeks: Double(weeks.last - weeks.first))
    else { return nil }
    func week(_ number: Int, _ moments: [Moments]) -> WithinUserReadout.Week {
      WithinUserReadout.Week(number: number, control: moments[0].mean ?? 0, treatment: moments[1].mean ?? 0)
    }
    let isMoney = if case .money = primary.unit { true } else { false }
    return WithinUserReadout(
      variant: variant, first: week(weeks.first, weeks.firsts), last: week(weeks.last, weeks.lasts),
      users: Int(weeks.contrasts.reduce(0) { $0 + $1.count }), slope: trend.slope,
      standardError: trend.standardError, degrees: trend.degrees, p: trend.p, isMoney: isMoney)
  }

  /// Judges the available trends by Holm's method; implements D8.7.
  private func judgeTrends(_ found: inout Readouts) {
    let adjusted = Adjustment.holm.adjusted([found.trend?.p, found.within?.p])
    if let p = adjusted[0], let trend = found.trend {
      let overall = trend.weeks.reduce(0) { $0 + $1.difference / ($1.standardError * $1.standardError) }
      found.trend?.p = p
      found.trend?.answer = Self.answer(p: p, slope: trend.slope, overall: overall)
    }
    if let p = adjusted[1], let within = found.within {
      found.within?.p = p
      found.within?.answer = Self.answer(
        p: p, slope: within.slope, overall: within.first.difference + within.last.difference)
    }
  }

  private static func answer(p: Double, slope: Double, overall: Double) -> TrendReadout.Answer {
    p < 0.05 ? (overall * slope < 0 ? .fades : .grows) : .noneShown
  }
}
