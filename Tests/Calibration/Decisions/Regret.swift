import Basics
import Foundation
import Statistics

/// A simulated world of tests.
private struct RegretWorld: Sendable {
  var name: String
  /// The control's share of users who start a trial or buy directly.
  var starts: Double
  /// The control's share of starters who pay.
  static let pays = 0.4
  /// Mean revenue per payer of control, exponentially distributed.
  static let value = 10.0
  /// Draws a log lift of the rates of starting and paying.
  var effect: @Sendable (inout Draws) -> Double
  /// The loss of a trap, in payers or in revenue.
  var loss: ClosedRange<Double>
  /// The share of traps, half of each kind.
  var trapShare = 0.0

  static let mixture: @Sendable (inout Draws) -> Double = { draws in
    (draws.uniform() < 0.8 ? 0.03 : 0.2) * draws.normal()
  }

  /// The world that the requirements apply to, and two others that show how much depends on the choice.
  static let main = RegretWorld(
    name: "A: 12% pay, fat tails", starts: 0.3, effect: mixture, loss: 0.2...0.2)
  static let others = [
    RegretWorld(name: "B: 8% pay, fat tails, uneven traps", starts: 0.2, effect: mixture, loss: 0.05...0.35),
    RegretWorld(
      name: "C: 8% pay, N(0, 0.15), uneven traps", starts: 0.2, effect: { 0.15 * $0.normal() }, loss: 0.05...0.35),
  ]

  func with(trapShare: Double) -> RegretWorld {
    var world = self
    world.trapShare = trapShare
    return world
  }
}

/// The true effects of a test of two paywalls, as factors of control.
private struct PaywallTruth {
  var startLift = 1.0
  var payLift = 1.0
  var valueLift = 1.0

  /// The effect on revenue per user.
  var moneyEffect: Double { startLift * payLift * valueLift - 1 }

  init(_ world: RegretWorld, _ draws: inout Draws) {
    func between(_ range: ClosedRange<Double>) -> Double {
      range.lowerBound + (range.upperBound - range.lowerBound) * draws.uniform()
    }
    let kind = draws.uniform()
    if kind < world.trapShare / 2 {
      // Gains trials and loses payers.
      startLift = 1 + between(0.1...0.5)
      payLift = (1 - between(world.loss)) / startLift
    } else if kind < world.trapShare {
      // Gains payers and loses revenue per payer.
      startLift = 1 + between(0.05...0.35)
      valueLift = (1 - between(world.loss)) / startLift
    } else {
      // Trials and payers change by the same factor.
      startLift = min(3, exp(world.effect(&draws)))
    }
  }
}

/// The days of an arm so far.
private struct PaywallArm {
  var users = 0.0
  var starts = 0.0
  var payers = 0.0
  private var paid = 0.0
  private var paidSquares = 0.0

  mutating func add(users count: Int, starts started: Double, pays: Double, value: Double, _ draws: inout Draws) {
    users += Double(count)
    starts += started
    for _ in 0..<Int(started) where draws.uniform() < pays {
      payers += 1
      let payment = -value * log(1 - draws.uniform())
      paid += payment
      paidSquares += payment * payment
    }
  }

  var paidShare: Proportion { Proportion(successes: payers, trials: users) }
  var revenue: MeanArm? { MeanArm(Moments(count: users, sum: paid, sumOfSquares: paidSquares)) }
}

/// A way of reading tests.
private enum Reader: Int, CaseIterable {
  case planned
  case unplanned
  case zTest
  case growthBook
  case initialConversion

  var name: String {
    switch self {
    case .planned: "tollgate with a plan"
    case .unplanned: "tollgate without a plan"
    case .zTest: "daily z test, p < 0.05"
    case .growthBook: "daily chance to win > 95% (GrowthBook)"
    case .initialConversion: "higher initial conversion at 28 days"
    }
  }
}

/// The end of a test.
private struct Ending {
  var days: Int
  var isShipped: Bool
}

private enum PaywallTest {
  static let days = 56
  /// Users per arm and day.
  static let usersADay = 200
  /// The days from the test's first day over which losses are counted.
  static let horizon = 730.0

  /// Runs a test to its last day and returns how each reader ended it.
  static func endings(
    _ truth: PaywallTruth, _ world: RegretWorld, control: BinomialSampler, plan: LookRule, _ draws: inout Draws
  ) -> [Ending] {
    let treatment = BinomialSampler(trials: usersADay, rate: world.starts * truth.startLift)
    let pays = RegretWorld.pays * truth.payLift
    var (one, two) = (PaywallArm(), PaywallArm())
    var ours = [WatchedTest(rule: plan), WatchedTest(rule: .alwaysValid(plannedUnits: 5_000))]
    var endings = [Ending?](repeating: nil, count: Reader.allCases.count)
    func end(_ reader: Reader, day: Int, isShipped: Bool) {
      endings[reader.rawValue] = Ending(days: day, isShipped: isShipped)
    }
    for day in 1...days {
      one.add(
        users: usersADay, starts: treatment.draw(&draws), pays: pays,
        value: RegretWorld.value * truth.valueLift, &draws)
      two.add(
        users: usersADay, starts: control.draw(&draws), pays: RegretWorld.pays, value: RegretWorld.value, &draws)
      let money = two.revenue.flatMap { control in one.revenue.map { [control, $0] } }
      for reader in [Reader.planned, .unplanned] where endings[reader.rawValue] == nil {
        let decision = ours[reader.rawValue].look(day: day, [two.paidShare, one.paidShare], money: money)
        switch decision?.outcome {
        case .ship: end(reader, day: day, isShipped: true)
        case .doNotShip, .noDifference: end(reader, day: day, isShipped: false)
        default: break
        }
      }
      if endings[Reader.zTest.rawValue] == nil, let test = pooledZTest(one.paidShare, two.paidShare),
        test.twoSidedP < 0.05
      {
        end(.zTest, day: day, isShipped: test.z > 0)
      }
      if endings[Reader.growthBook.rawValue] == nil, max(one.payers, two.payers) >= 150 {
        let (a, b) = (one.paidShare, two.paidShare)
        let variance = a.successes * a.failures / pow(a.trials, 3) + b.successes * b.failures / pow(b.trials, 3)
        let chance = normalDecision(
          mean: (a.successes - b.successes) / a.trials, sd: variance.squareRoot()
        ).chanceToWin
        if chance > 0.95 || chance < 0.05 { end(.growthBook, day: day, isShipped: chance > 0.95) }
      }
      if day == 28 { end(.initialConversion, day: day, isShipped: one.starts > two.starts) }
    }
    return endings.map { $0 ?? Ending(days: days, isShipped: false) }
  }

  /// Returns the loss against knowing the truth, as a share of control's revenue over the horizon. Half of the users
  /// see each paywall while the test runs.
  static func regret(_ ending: Ending, effect: Double) -> Double {
    let tested = Double(ending.days) / horizon
    return max(0, effect) - effect * (tested / 2 + (ending.isShipped ? 1 - tested : 0))
  }
}

/// The outcome of a world's programs, by reader.
private struct RegretResult {
  /// The mean regret of each program's tests.
  var regrets = [[Double]](repeating: [], count: Reader.allCases.count)
  var shipped = [Int](repeating: 0, count: Reader.allCases.count)
  var falselyShipped = [Int](repeating: 0, count: Reader.allCases.count)
  /// Tests that are not traps with a true gain above 5%, and how many of them were shipped.
  var gains = 0
  var gainsShipped = [Int](repeating: 0, count: Reader.allCases.count)

  mutating func add(_ other: RegretResult) {
    for place in regrets.indices {
      regrets[place] += other.regrets[place]
      shipped[place] += other.shipped[place]
      falselyShipped[place] += other.falselyShipped[place]
      gainsShipped[place] += other.gainsShipped[place]
    }
    gains += other.gains
  }

  func regret(_ reader: Reader) -> MeanEstimate {
    let moments = Moments(regrets[reader.rawValue])
    return MeanEstimate(mean: moments.mean ?? 0, standardError: moments.standardError ?? 0)
  }

  /// Returns one minus the ratio of the two regrets, with the delta method's error over programs that both read.
  func saving(against rival: Reader) -> MeanEstimate {
    let (ours, theirs) = (regrets[Reader.planned.rawValue], regrets[rival.rawValue])
    let (mine, other) = (regret(.planned).mean, regret(rival).mean)
    guard other > 0 else { return MeanEstimate(mean: 0, standardError: 0) }
    let ratio = mine / other
    let rest = Moments(zip(ours, theirs).map { ($0 - ratio * $1) / other })
    return MeanEstimate(mean: 1 - ratio, standardError: rest.standardError ?? 0)
  }
}

private let tests = 20

private func simulate(_ world: RegretWorld, plan: LookRule, programs: Int) -> RegretResult {
  let control = BinomialSampler(trials: PaywallTest.usersADay, rate: world.starts)
  let pieces = (0..<programs).concurrentMap { program in
    var result = RegretResult()
    var draws = Draws(name: "regret \(world.name) \(world.trapShare) \(program)")
    var sums = [Double](repeating: 0, count: Reader.allCases.count)
    for _ in 0..<tests {
      let truth = PaywallTruth(world, &draws)
      let effect = truth.moneyEffect
      if effect > 0.05 { result.gains += 1 }
      for (place, ending) in PaywallTest.endings(truth, world, control: control, plan: plan, &draws).enumerated() {
        sums[place] += PaywallTest.regret(ending, effect: effect)
        guard ending.isShipped else { continue }
        result.shipped[place] += 1
        if effect <= 0 { result.falselyShipped[place] += 1 }
        if effect > 0.05 { result.gainsShipped[place] += 1 }
      }
    }
    result.regrets = sums.map { [$0 / Double(tests)] }
    return result
  }
  return pieces.reduce(into: RegretResult()) { $0.add($1) }
}

/// Checks how much revenue a team loses by the way it reads its tests.
func regretChecks(repetitions: Int) -> [Check] {
  // Four times the required thousand programs: a thousand would give a share of false ships to 0.5% only.
  let (programs, others) = (max(5, repetitions / 5), max(5, repetitions / 20))
  let plan = LookRule.planned(days: PaywallTest.days)
  return [0.2, 0.1, 0].flatMap { share in
    let world = RegretWorld.main.with(trapShare: share)
    let result = simulate(world, plan: plan, programs: programs)
    return Reader.allCases.flatMap { rows($0, result, world) } + demands(result, world, isFull: repetitions >= 20_000)
  }
    + RegretWorld.others.flatMap { other in
      [0.2, 0.1, 0].flatMap { share in
        let world = other.with(trapShare: share)
        let result = simulate(world, plan: plan, programs: others)
        return [Reader.planned, .growthBook].flatMap { rows($0, result, world) }
      }
    }
}

private func setting(_ world: RegretWorld) -> String { "\(Int(100 * world.trapShare)) % traps, world \(world.name)" }

private func rows(_ reader: Reader, _ result: RegretResult, _ world: RegretWorld) -> [Check] {
  let (place, regret) = (reader.rawValue, result.regret(reader))
  return [
    Check(
      name: "regret of \(reader.name)", setting: setting(world),
      outcome: .told(regret.mean, standardError: regret.standardError)),
    .told(
      "false ships of \(reader.name)", setting(world), hits: result.falselyShipped[place], of: result.shipped[place]),
    .told(
      "gains above 5% shipped by \(reader.name)", setting(world), hits: result.gainsShipped[place],
      of: result.gains),
  ]
}

private func demands(_ result: RegretResult, _ world: RegretWorld, isFull: Bool) -> [Check] {
  func row(_ name: String, _ estimate: MeanEstimate, low: Double, high: Double) -> Check {
    Check(
      name: name, setting: setting(world),
      outcome: .promise(
        estimate.mean, standardError: estimate.standardError, low: low, high: high, isFull: isFull))
  }
  guard world.trapShare > 0 else {
    let saving = result.saving(against: .growthBook)
    return [
      row(
        "regret with a plan / regret by chance to win",
        MeanEstimate(mean: 1 - saving.mean, standardError: saving.standardError), low: 0, high: 1.6)
    ]
  }
  let place = Reader.planned.rawValue
  let (wrong, shipped) = (result.falselyShipped[place], max(1, result.shipped[place]))
  let share = (Double(wrong) + 1) / (Double(shipped) + 2)
  return [Reader.zTest, .growthBook, .initialConversion].map { rival in
    row("saved of the regret of \(rival.name)", result.saving(against: rival), low: 0.3, high: 1)
  } + [
    row(
      "false ships of all ships, with a plan",
      MeanEstimate(
        mean: Double(wrong) / Double(shipped), standardError: (share * (1 - share) / Double(shipped)).squareRoot()),
      low: 0, high: 0.05)
  ]
}
