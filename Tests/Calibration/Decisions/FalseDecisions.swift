import Basics
import Foundation
import Statistics

/// Counts how often each decision was reached at any look.
private struct Reached {
  var ship = 0
  var doNotShip = 0
  var noDifference = 0
  var count = 0

  mutating func add(_ other: Reached) {
    ship += other.ship
    doNotShip += other.doNotShip
    noDifference += other.noDifference
    count += other.count
  }
}

/// Simulated tests with one truth and daily looks.
private struct SimulatedTests: Sendable {
  var name: String
  /// Conversion rates, control first.
  var rates: [Double]
  /// Users per arm and day.
  var users = 200
  var days: Int
  var rule: LookRule

  /// Simulates `repetitions` tests; each runs to its end, whatever its earlier looks said.
  func run(_ repetitions: Int) -> Reached {
    let samplers = rates.map { BinomialSampler(trials: users, rate: $0) }
    let pieces = (0..<20).concurrentMap { piece in
      var (reached, draws) = (Reached(), Draws(name: "\(name) \(piece)"))
      for _ in stride(from: piece, to: repetitions, by: 20) {
        var arms = rates.map { _ in Proportion(successes: 0, trials: 0) }
        var test = WatchedTest(rule: rule, treatments: rates.count - 1)
        var seen = Set<ExperimentDecision.Outcome>()
        for day in 1...days {
          for place in arms.indices {
            arms[place] = Proportion(
              successes: arms[place].successes + samplers[place].draw(&draws), trials: Double(day * users))
          }
          if let decision = test.look(day: day, arms) { seen.insert(decision.outcome) }
        }
        reached.add(
          Reached(
            ship: seen.contains(.ship) ? 1 : 0, doNotShip: seen.contains(.doNotShip) ? 1 : 0,
            noDifference: seen.contains(.noDifference) ? 1 : 0, count: 1))
      }
      return reached
    }
    return pieces.reduce(into: Reached()) { $0.add($1) }
  }
}

/// Checks how often a decision is reached although there is no effect (D1).
func falseDecisionChecks(repetitions: Int) -> [Check] {
  let days = 56
  return [2, 3].flatMap { arms in
    [
      ("without a plan", LookRule.alwaysValid(plannedUnits: 5_000)),
      ("planned for \(days) days", .planned(days: days, treatments: arms - 1)),
    ].flatMap { words, rule in
      [0.05, 0.1, 0.25].flatMap { base in
        let setting = "\(percent(base)), \(arms) arms alike, 200 a day an arm, \(days) daily looks"
        let reached = SimulatedTests(
          name: "no effect \(base) \(arms) \(words)", rates: [Double](repeating: base, count: arms), days: days,
          rule: rule
        ).run(repetitions)
        return [("false ship", reached.ship), ("false do_not_ship", reached.doNotShip)].map { name, hits in
          Check(
            name: "\(name), \(words)", setting: setting,
            outcome: .atMost(hits: hits, of: reached.count, limit: 0.025))
        }
      }
    }
  }
}

/// Checks how often `no_difference` is decided with a lift exactly at the margin, and with no lift.
func samenessChecks(repetitions: Int) -> [Check] {
  let atMargin = [0.11, 0.09].flatMap { rate in
    [5_000.0, 60_000].map { planned in
      let reached = SimulatedTests(
        name: "at the margin \(rate) \(planned)", rates: [0.1, rate], users: 1_500, days: 90,
        rule: .alwaysValid(plannedUnits: planned)
      ).run(repetitions)
      return Check.promise(
        "wrong no_difference, N* \(Int(planned))", "10% to \(percent(rate)), 1,500 a day an arm, 90 daily looks",
        hits: reached.noDifference, of: reached.count, high: 0.025, full: 20_000)
    }
  }
  let found = [5_000.0, 60_000].map { planned in
    let plan = LiftPlan(
      control: .share(0.1), bound: .sequence(AsymptoticSequence(plannedUnits: planned), alpha: WatchedTest.alpha))
    let needed = plan.usersNeededForSameness(margin: WatchedTest.margin) ?? 0
    let days = 45
    let reached = SimulatedTests(
      name: "no effect, same \(planned)", rates: [0.1, 0.1], users: Int(1.1 * needed / 2 / Double(days)), days: days,
      rule: .alwaysValid(plannedUnits: planned)
    ).run(repetitions)
    return Check.promise(
      "no_difference by 1.1 x \(Int(needed)) users, N* \(Int(planned))", "10%, no effect, \(days) daily looks",
      hits: reached.noDifference, of: reached.count, low: 0.8, full: 20_000)
  }
  let small = SimulatedTests(
    name: "underpowered", rates: [0.05, 0.05], days: 28, rule: .alwaysValid(plannedUnits: 5_000)
  ).run(repetitions)
  return atMargin + found + [
    Check.promise(
      "no_difference of an underpowered test", "5%, no effect, 5,600 an arm, 28 daily looks",
      hits: small.noDifference, of: small.count, high: 0, full: 20_000)
  ]
}

/// Checks `persons_needed` for a lift of 10%, which one look should find with 80% power.
func neededUsersChecks(repetitions: Int) -> [Check] {
  [0.05, 0.1, 0.25].map { base in
    let sequence = AsymptoticSequence()
    let plan = LiftPlan(control: .share(base), bound: .sequence(sequence, alpha: sequence.alpha))
    let users = ((plan.usersNeeded(lift: 0.1) ?? 0) / 2).rounded(.up)
    let (control, treatment) = (
      BinomialSampler(trials: Int(users), rate: base), BinomialSampler(trials: Int(users), rate: 1.1 * base)
    )
    var (draws, hits) = (Draws(name: "needed \(base)"), 0)
    for _ in 0..<repetitions {
      let arms = [treatment, control].map { Proportion(successes: $0.draw(&draws), trials: users) }
      if let look = sequence.look(arms[0], arms[1]), look.p < sequence.alpha, look.estimate > 0 { hits += 1 }
    }
    return Check.promise(
      "a lift of 10% found by one look at \(Int(2 * users)) users", "\(percent(base)) to \(percent(1.1 * base))",
      hits: hits, of: repetitions, low: 0.785, high: 0.815, full: 20_000)
  }
}
