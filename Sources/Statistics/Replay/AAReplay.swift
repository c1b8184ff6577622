internal import RealModule

/// Re-randomises past users into two arms again and again, and counts how often each method finds a difference that is
/// not there: on the user's own data, with its own rates, skew and rhythm.
///
/// Outcomes are taken as final: give users whose windows are over. A look comes after each day with an exposure.
public struct AAReplay: Sendable {
  private let blocks: ReplayBlocks
  private let users: Int
  private let alpha: Double
  private let obrienFleming: GroupSequentialDesign
  private let pocock: GroupSequentialDesign
  private let sequence: AsymptoticSequence
  private let share: ConversionShare

  /// - Parameters:
  ///   - people: One or more, in any order; the result depends on their order within a day.
  ///   - alpha: In (0, 1), two-sided.
  public init(_ people: [ReplayPerson], alpha: Double = 0.05) {
    precondition(!people.isEmpty, "people is empty, but must have one or more")
    precondition(alpha > 0 && alpha < 1, "alpha is \(alpha), but must be in (0, 1)")
    blocks = ReplayBlocks(people)
    users = people.count
    self.alpha = alpha
    obrienFleming = GroupSequentialDesign(looks: blocks.shares, alpha: alpha)
    pocock = GroupSequentialDesign(looks: blocks.shares, spending: .pocock, alpha: alpha)
    sequence = AsymptoticSequence(plannedUnits: Double(users), alpha: alpha)
    share = ConversionShare(
      allocation: [1, 1],
      concentration: ConversionShare.tunedConcentration(plannedConversions: Double(blocks.conversions), alpha: alpha))
  }

  /// Looks a repetition: days with an exposure.
  public var looks: Int { blocks.days.count }

  /// Returns the rates, one per method, in the order of ``ReplayMethod``.
  ///
  /// - Parameters:
  ///   - repetitions: 1 or more; the standard error of a rate of 5 % is 0.7 points at 1,000.
  ///   - generator: The same seed gives the same rates.
  public func rates(repetitions: Int = 1_000, generator: CounterGenerator) -> [ReplayRate] {
    precondition(repetitions >= 1, "repetitions is \(repetitions), but must be at least 1")
    var atEnd: [ReplayMethod: Int] = [:]
    var daily = atEnd
    for repetition in 0..<repetitions {
      let (last, ever) = alarms(generator, from: UInt64(repetition) * UInt64(blocks.blocks.count))
      for method in last { atEnd[method, default: 0] += 1 }
      for method in ever { daily[method, default: 0] += 1 }
    }
    return ReplayMethod.allCases.map { method in
      ReplayRate(
        method: method, atEnd: atEnd[method] ?? 0, daily: daily[method] ?? 0, repetitions: repetitions)
    }
  }

  /// The methods that alarm at the last look, and at any.
  private func alarms(_ generator: CounterGenerator, from place: UInt64) -> (Set<ReplayMethod>, Set<ReplayMethod>) {
    var (treatment, control) = (ReplayArm(), ReplayArm())
    var (now, ever) = (Set<ReplayMethod>(), Set<ReplayMethod>())
    for (look, range) in blocks.days.enumerated() {
      for index in range {
        let block = blocks.blocks[index]
        let present = block.size == 64 ? UInt64.max : (1 << UInt64(block.size)) - 1
        let bits = generator.bits(at: place + UInt64(index))
        treatment.add(block, members: bits & present)
        control.add(block, members: ~bits & present)
      }
      now = conversionAlarms(look, treatment.conversion, control.conversion)
      now.formUnion(revenueAlarms(look, treatment, control))
      ever.formUnion(now)
    }
    return (now, ever)
  }

  private func conversionAlarms(_ look: Int, _ one: Proportion, _ two: Proportion) -> Set<ReplayMethod> {
    guard let test = miettinenNurminenTest(one, two) else { return [] }
    var found: Set<ReplayMethod> = []
    if test.twoSidedP < alpha { found.insert(.conversionScore) }
    if abs(test.z) > NormalDistribution.upperQuantile(0.05) { found.insert(.conversionChanceToWin) }
    if abs(test.z) >= obrienFleming.bounds[look] { found.insert(.conversionObrienFleming) }
    if abs(test.z) >= pocock.bounds[look] { found.insert(.conversionPocock) }
    if AsymptoticSequence.isReady(one, two), let seen = sequence.look(one, two), seen.p < alpha {
      found.insert(.conversionAsymptoticSequence)
    }
    if share.logEValue([one.successes, two.successes]) > AlwaysValidP.logThreshold(alpha: alpha) {
      found.insert(.conversionShare)
    }
    return found
  }

  private func revenueAlarms(_ look: Int, _ one: ReplayArm, _ two: ReplayArm) -> Set<ReplayMethod> {
    guard let own = one.revenuePerUser, let other = two.revenuePerUser, let test = welchTest(own, other) else {
      return []
    }
    var found: Set<ReplayMethod> = []
    if test.twoSidedP < alpha { found.insert(.revenueWelch) }
    if let own = one.cappedPerUser, let other = two.cappedPerUser, let capped = welchTest(own, other),
      capped.twoSidedP < alpha
    {
      found.insert(.revenueWelchCapped)
    }
    if abs(test.t) >= obrienFleming.bounds[look] { found.insert(.revenueObrienFleming) }
    if AsymptoticSequence.isReady(one.conversion, two.conversion),
      let seen = sequence.look(
        estimate: test.difference, standardError: test.standardError, units: own.count + other.count),
      seen.p < alpha
    {
      found.insert(.revenueAsymptoticSequence)
    }
    return found
  }
}
