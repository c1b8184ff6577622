internal import Lifecycle
internal import Statistics

/// Finds the rule by which a test is read, whether it has ended, and how much longer it takes (D3, D4).
struct ScheduleRule {
  let plan: ExperimentPlan
  let asOf: Int64
  let exposures: ClosedRange<Int64>?
  /// Exposed users of all arms by UTC day since 1970, ascending; days without exposures may be missing.
  let byDay: [(day: Int, persons: Int)]
  /// Exposed users of all arms, by age in whole days.
  let ages: [Int: Int]
  let horizon: Int64
  /// Whether the days asked for leave out users of the test.
  let isPartOfTest: Bool

  /// Whether the plan was made too late to count; implements D4.6.
  var isPlannedLate: Bool {
    guard plan.isPlanned, let plannedOn = plan.plannedOn else { return false }
    let before = byDay.reduce(0) { $1.day < Int(plannedOn / day) ? $0 + $1.persons : $0 }
    return before * 4 > exposed
  }

  var isPlanned: Bool { plan.isPlanned && !isPlannedLate }

  var exposed: Int { ages.values.reduce(0, +) }

  /// Users whose outcome counts.
  var analysed: Int { ages.reduce(0) { $1.key >= horizonDays ? $0 + $1.value : $0 } }

  private var horizonDays: Int { Int((horizon + day - 1) / day) }

  /// Whether the test has ended; implements D4.1.
  var isEnded: Bool {
    if let end = plan.end, end <= asOf { return true }
    // Days that were not asked for may have exposures.
    guard !isPartOfTest, let last = exposures?.upperBound else { return false }
    return Double(asOf - last) > plan.quietDays * Double(day)
  }

  private var start: Int64? { exposures.map { max($0.lowerBound, plan.start ?? $0.lowerBound) } }

  /// Exposed users ÷ planned ones, or days of exposures ÷ planned days; `nil` without a plan that counts.
  var plannedShare: Double? {
    guard isPlanned, let exposures, let start else { return nil }
    if let users = plan.plannedUsers { return Double(exposed) / users }
    let last = isEnded ? exposures.upperBound : asOf
    return plan.plannedDays.map { Double(last - start) / ($0 * Double(day)) }
  }

  /// Whether the outcomes of the planned size are known.
  private var isComplete: Bool {
    if let users = plan.plannedUsers, Double(analysed) >= users { return true }
    if let days = plan.plannedDays, let start, Double(asOf - horizon - start) >= days * Double(day) { return true }
    return isEnded && (plannedShare ?? 0) >= Self.nearlyPlanned && analysed == exposed
  }

  /// The least share of its plan that a test must reach.
  private static let nearlyPlanned = 0.95

  /// Whether the test has ended below ``nearlyPlanned``; implements D4.4.
  var isEndedEarly: Bool { isEnded && (plannedShare ?? 1) < Self.nearlyPlanned }

  /// The way to read the plan; implements D4.2, D4.3 and D4.5.
  var reading: SequentialRule.Kind {
    guard isPlanned else { return .alwaysValid }
    if plan.looks == .daily { return .groupSequential }
    if isComplete { return .once }
    return isEndedEarly ? .alwaysValid : .notYet
  }

  var unfinished: ExperimentDecision.Unfinished? {
    if isEndedEarly { return .endedEarly }
    return reading == .notYet ? .notYet : nil
  }

  /// Exposures of each full day, oldest first; the days of the first and the last exposure are not full.
  var fullDays: [Double] {
    guard let first = byDay.first?.day, let last = byDay.last?.day, last - first >= 2 else { return [] }
    let counts = Dictionary(uniqueKeysWithValues: byDay.map { ($0.day, $0.persons) })
    return (first + 1..<last).map { Double(counts[$0] ?? 0) }
  }

  /// The exposures per day and their uncertainty.
  var arrivals: Arrivals? { Arrivals(daily: fullDays) }

  /// Days until the outcomes of the planned size are known; 0 if they are.
  ///
  /// - Returns: `nil` without a plan that counts, after the test's end, and if it cannot be computed.
  private var daysToLook: Double? {
    guard isPlanned, !isEnded, let start else { return nil }
    var waits: [Double] = []
    if let users = plan.plannedUsers {
      if Double(exposed) >= users {
        // Users already exposed only have to mature.
        waits +=
          (0...horizonDays).first { wait in
            Double(ages.reduce(0) { $1.key >= horizonDays - wait ? $0 + $1.value : $0 }) >= users
          }.map { [Double($0)] } ?? []
      } else if let rate = arrivals?.usersADay, rate > 0 {
        waits.append(((users - Double(exposed)) / rate).rounded(.up) + Double(horizonDays))
      }
    }
    for end in [plan.plannedDays.map { start + Int64($0 * Double(day)) }, plan.end].compactMap(\.self) {
      waits.append(max(0, (Double(end + horizon - asOf) / Double(day)).rounded(.up)))
    }
    return waits.min()
  }

  /// Whether the plan's look is still to come: planned days pass, planned users must arrive within the patience.
  private var isPlanOpen: Bool {
    guard isPlanned, !isEnded else { return false }
    guard let daysToLook else { return arrivals == nil }
    if daysToLook == 0 { return false }
    return plan.plannedDays != nil || plan.end != nil || daysToLook <= plan.patienceDays
  }

  /// - Parameters:
  ///   - size: The size that the primary's treatment needs; `nil` if it cannot be planned.
  ///   - hasControlOutcome: Whether any user in control has the outcome.
  func schedule(_ size: LiftPlan?, hasControlOutcome: Bool) -> (TestSchedule, RemainingTest) {
    let needed = size?.usersNeeded(lift: plan.minimumLift)
    let equivalence = size?.usersNeededForSameness(margin: plan.sameLift)
    let rate = arrivals?.usersADay
    var remaining = RemainingTest(
      users: Double(analysed), needed: needed, neededForSameness: equivalence, usersADay: rate ?? 0,
      horizonDays: Double(horizonDays), patienceDays: plan.patienceDays, isEnded: isEnded,
      hasControlOutcome: hasControlOutcome)
    remaining.isPlanOpen = isPlanOpen
    var schedule = TestSchedule(
      rule: reading == .groupSequential ? .groupSequential : reading == .alwaysValid ? .alwaysValid : .once,
      exposures: exposures, isEnded: isEnded, analysed: analysed, immature: exposed - analysed,
      horizonDays: Double(horizonDays))
    schedule.plannedShare = plannedShare
    schedule.isPlanOpen = remaining.isPlanOpen
    schedule.daysToLook = remaining.isPlanOpen ? daysToLook : nil
    schedule.usersADay = rate
    schedule.usersNeeded = needed
    schedule.usersNeededForEquivalence = equivalence
    schedule.target = remaining.target
    schedule.daysMore = remaining.daysMore
    if let rate, plan.patienceDays > Double(horizonDays) {
      schedule.leastLift = size?.leastLift(users: rate * (plan.patienceDays - Double(horizonDays)))
    }
    return (schedule, remaining)
  }
}
