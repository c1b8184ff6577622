internal import RealModule

/// Splits past users at random into two arms again and again, and counts how often each method finds a difference that
/// does not exist: on the user's own data, with its own rates, skew and rhythm.
///
/// Outcomes must be final: pass only users whose windows are over. There is a look after each day with an exposure.
public struct AAReplay: Sendable {
  private let blocks: ReplayBlocks
  private let users: Int
  private let alpha: Double
  private let obrienFleming: GroupSequentialDesign
  private let pocock: GroupSequentialDesign
  private let sequence: AsymptoticSequence
  private let share: ConversionShare
  private let unplanned: UnplannedConversion

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
    unplanned = UnplannedConversion(alpha: alpha)
  }

  /// Looks per repetition: days with an exposure.
  public var looks: Int { blocks.days.count }

  /// The methods that apply, in the order of ``ReplayMethod``: an adjustment by history needs a history.
  public var methods: [ReplayMethod] {
    ReplayMethod.allCases.filter { method in
      switch method {
      case .conversionCUPED: blocks.hasActivity
      case .revenueCUPED: blocks.hasRevenueBefore
      default: true
      }
    }
  }

  /// Returns the rates, one for each of ``methods``.
  ///
  /// - Parameters:
  ///   - repetitions: 1 or more; the standard error of a rate of 5% is 0.7 points at 1,000.
  ///   - generator: Equal seeds give equal rates.
  public func rates(repetitions: Int = 1_000, generator: CounterGenerator) -> [ReplayRate] {
    precondition(repetitions >= 1, "repetitions is \(repetitions), but must be at least 1")
    var rates = methods.map { ReplayRate(method: $0, atEnd: 0, daily: 0, repetitions: repetitions) }
    for repetition in 0..<repetitions {
      let (last, ever) = alarms(generator, from: UInt64(repetition) * UInt64(blocks.blocks.count))
      for place in rates.indices {
        if last.contains(rates[place].method) { rates[place].atEnd += 1 }
        if ever.contains(rates[place].method) { rates[place].daily += 1 }
      }
    }
    return rates
  }

  /// Returns the methods that raise an alarm at the last look, and at any look.
  private func alarms(_ generator: CounterGenerator, from place: UInt64) -> (ReplayMethods, ReplayMethods) {
    var (treatment, control) = (ReplayArm(), ReplayArm())
    var (now, ever) = (ReplayMethods(), ReplayMethods())
    for (look, range) in blocks.days.enumerated() {
      for index in range {
        let block = blocks.blocks[index]
        let present = block.size == 64 ? UInt64.max : (1 << UInt64(block.size)) - 1
        let bits = generator.bits(at: place + UInt64(index))
        treatment.add(block, members: bits & present)
        control.add(block, members: ~bits & present)
      }
      now = conversionAlarms(look, treatment, control)
      now.formUnion(revenueAlarms(look, treatment, control))
      ever.formUnion(now)
    }
    return (now, ever)
  }

  private func conversionAlarms(_ look: Int, _ treatment: ReplayArm, _ control: ReplayArm) -> ReplayMethods {
    var found = ReplayMethods()
    let (one, two) = (treatment.conversion, control.conversion)
    guard let test = miettinenNurminenTest(one, two) else { return found }
    let threshold = -Double.log(alpha)
    found.insert(.conversionScore, if: test.twoSidedP < alpha)
    found.insert(.conversionChanceToWin, if: abs(test.z) > NormalDistribution.upperQuantile(0.05))
    found.insert(.conversionObrienFleming, if: abs(test.z) >= obrienFleming.bounds[look])
    found.insert(.conversionPocock, if: abs(test.z) >= pocock.bounds[look])
    if AsymptoticSequence.isReady(one, two), let seen = sequence.look(one, two) {
      found.insert(.conversionAsymptoticSequence, if: seen.p < alpha)
    }
    found.insert(.conversionShare, if: share.logEValue([one.successes, two.successes]) > threshold)
    found.insert(
      .conversionUnplanned, if: unplanned.logEValue(treatment: one, control: two).map { $0 > threshold } ?? false)
    if let exact = fisherTest(one, two) {
      found.insert(.conversionFisher, if: exact.twoSidedP < alpha)
      found.insert(.conversionFisherMidP, if: exact.midP < alpha)
    }
    if blocks.hasActivity {
      let adjusted = PairMoments.cuped(treatment: treatment.conversionHistory, control: control.conversionHistory)
      found.insert(.conversionCUPED, if: adjusted?.isSignificant(alpha: alpha) ?? false)
    }
    return found
  }

  private func revenueAlarms(_ look: Int, _ treatment: ReplayArm, _ control: ReplayArm) -> ReplayMethods {
    var found = ReplayMethods()
    guard
      let own = treatment.revenuePerUser, let other = control.revenuePerUser, let test = WelchStatistic(own, other)
    else { return found }
    found.insert(.revenueWelch, if: test.isSignificant(alpha: alpha))
    found.insert(.revenueObrienFleming, if: abs(test.t) >= obrienFleming.bounds[look])
    if let own = treatment.cappedPerUser, let other = control.cappedPerUser {
      found.insert(.revenueWelchCapped, if: WelchStatistic(own, other)?.isSignificant(alpha: alpha) ?? false)
    }
    if let own = treatment.revenuePerPayer, let other = control.revenuePerPayer {
      found.insert(.revenuePerPayerDelta, if: WelchStatistic(own, other)?.isSignificant(alpha: alpha) ?? false)
    }
    if blocks.hasRevenueBefore {
      let adjusted = PairMoments.cuped(treatment: treatment.revenueHistory, control: control.revenueHistory)
      found.insert(.revenueCUPED, if: adjusted?.isSignificant(alpha: alpha) ?? false)
    }
    if AsymptoticSequence.isReady(treatment.conversion, control.conversion),
      let seen = sequence.look(
        estimate: test.difference, standardError: test.standardError, units: own.count + other.count)
    {
      found.insert(.revenueAsymptoticSequence, if: seen.p < alpha)
    }
    return found
  }
}
