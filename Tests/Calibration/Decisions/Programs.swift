import Basics
import Foundation
import Statistics

/// A distribution of the true log lifts of an app's tests.
private struct EffectWorld: Sendable {
  var name: String
  /// Draws the effects of a program's tests.
  var effects: @Sendable (_ tests: Int, inout Draws) -> [Double]

  /// The prior that the correction itself assumes.
  static let own = EffectWorld(name: "drawn from the program's own prior") { tests, draws in
    var (u, place) = (draws.uniform(), 0)
    while place < EffectPrior.grid.count - 1, u >= EffectPrior.gridWeights[place] {
      u -= EffectPrior.gridWeights[place]
      place += 1
    }
    let prior = EffectPrior.grid[place]
    return (0..<tests).map { _ in
      (draws.uniform() < prior.wideShare ? prior.wide : prior.narrow) * draws.normal()
    }
  }

  private init(name: String, effects: @escaping @Sendable (Int, inout Draws) -> [Double]) {
    (self.name, self.effects) = (name, effects)
  }

  private init(name: String, each: @escaping @Sendable (inout Draws) -> Double) {
    self.init(name: name) { tests, draws in
      var effects: [Double] = []
      for _ in 0..<tests { effects.append(each(&draws)) }
      return effects
    }
  }

  static let mixture = EffectWorld(
    name: "80/20 N(0, 0.03) and N(0, 0.2)",
    each: { draws in
      (draws.uniform() < 0.8 ? 0.03 : 0.2) * draws.normal()
    })

  static let others = [
    EffectWorld(name: "N(0, 0.05)", each: { 0.05 * $0.normal() }),
    EffectWorld(name: "N(0.02, 0.08)", each: { 0.02 + 0.08 * $0.normal() }),
    EffectWorld(name: "N(-0.02, 0.15)", each: { -0.02 + 0.15 * $0.normal() }),
    mixture,
    EffectWorld(
      name: "t with 3 degrees x 0.06",
      each: { draws in
        let z = draws.normal()
        var squares = 0.0
        for _ in 0..<3 {
          let other = draws.normal()
          squares += other * other
        }
        return 0.06 * z / (squares / 3).squareRoot()
      }),
  ]
}

/// Counts the programs that shipped something, and those whose interval covers the true sum.
private struct ProgramTally {
  var shipped = 0
  var covered = 0
  var coveredByPlainSum = 0

  mutating func add(_ other: ProgramTally) {
    shipped += other.shipped
    covered += other.covered
    coveredByPlainSum += other.coveredByPlainSum
  }
}

/// Tests of 200 users a day an arm, stopped by the rule without a plan, or on day 42 at the latest.
private struct ProgramOfTests {
  static let base = 0.08
  static let users = 200
  static let days = 42

  var control: BinomialSampler

  /// - Returns: The true log lift, the measured one, and whether the treatment was shipped.
  func test(_ effect: Double, _ draws: inout Draws) -> (truth: Double, measured: LogLift, isShipped: Bool)? {
    let rate = min(0.95, Self.base * exp(effect))
    let sampler = BinomialSampler(trials: Self.users, rate: rate)
    var (one, two) = (0.0, 0.0)
    var watched = WatchedTest(rule: .alwaysValid(plannedUnits: 5_000))
    var (arms, isShipped) = ([Proportion](), false)
    for day in 1...Self.days {
      one += sampler.draw(&draws)
      two += control.draw(&draws)
      let trials = Double(day * Self.users)
      arms = [Proportion(successes: two, trials: trials), Proportion(successes: one, trials: trials)]
      guard let outcome = watched.look(day: day, arms)?.outcome, outcome != .undecided else { continue }
      isShipped = outcome == .ship
      break
    }
    return LogLift(arms[1], arms[0]).map { (log(rate / Self.base), $0, isShipped) }
  }
}

/// Checks the corrected sum of the effects that programs shipped (Program.md, "The correction").
func programChecks(repetitions: Int) -> [Check] {
  let (programs, isFull) = (max(4, repetitions / 2), repetitions >= 20_000)
  let control = BinomialSampler(trials: ProgramOfTests.users, rate: ProgramOfTests.base)
  func tally(_ world: EffectWorld, tests: Int) -> ProgramTally {
    (0..<programs).concurrentMap { program in
      var draws = Draws(name: "program \(world.name) \(tests) \(program)")
      let effects = world.effects(tests, &draws)
      return simulateProgram(effects, ProgramOfTests(control: control), &draws)
    }.reduce(into: ProgramTally()) { $0.add($1) }
  }
  func rows(_ world: EffectWorld, tests: Int, low: Double, high: Double) -> [Check] {
    let found = tally(world, tests: tests)
    let setting = "\(tests) tests, effects \(world.name)"
    return [
      .promise(
        "corrected sum of shipped lifts covered", setting, hits: found.covered, of: found.shipped, low: low,
        high: high, full: isFull ? 1 : .max),
      .told("plain sum ± 1.96 se (negative control)", setting, hits: found.coveredByPlainSum, of: found.shipped),
    ]
  }
  let others = repetitions < 1_000 ? [EffectWorld.mixture] : EffectWorld.others
  return [8, 24].flatMap { rows(.own, tests: $0, low: 0.94, high: 0.96) }
    + others.flatMap { world in [8, 24].flatMap { rows(world, tests: $0, low: 0.91, high: 1) } }
}

private func simulateProgram(_ effects: [Double], _ program: ProgramOfTests, _ draws: inout Draws) -> ProgramTally {
  var tests: [(truth: Double, measured: LogLift, isShipped: Bool)] = []
  for effect in effects {
    if let test = program.test(effect, &draws) { tests.append(test) }
  }
  let shipped = tests.indices.filter { tests[$0].isShipped }
  guard let sum = ShrunkenEffects(tests.map(\.measured)).sum(of: shipped) else { return ProgramTally() }
  let truth = shipped.reduce(0) { $0 + tests[$1].truth }
  let plain = shipped.reduce(0) { $0 + tests[$1].measured.value }
  let error = shipped.reduce(0) { $0 + tests[$1].measured.variance }.squareRoot()
  return ProgramTally(
    shipped: 1, covered: sum.interval.contains(truth) ? 1 : 0,
    coveredByPlainSum: abs(plain - truth) <= normalQuantile975 * error ? 1 : 0)
}
