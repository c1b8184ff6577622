import Basics
import Foundation
import Statistics

/// A paywall's daily traffic: 400 users a day on average, with a weekly rhythm.
private struct TrafficDay {
  /// Factors from Monday; they sum to 7.
  private static let rhythm = [0.9, 0.9, 0.95, 1.0, 1.1, 1.15, 1.0]
  static let usersADay = 400.0

  /// Draws the users of a day. On average half of them arrive alone and half in pairs: (m/2 + 4·m/4)/m makes the
  /// variance 1.5 times the mean.
  static func users(day: Int, _ draws: inout Draws) -> Double {
    let mean = usersADay * rhythm[day % 7]
    return poissonDraw(mean: mean / 2, uniform: draws.uniform())
      + 2 * poissonDraw(mean: mean / 4, uniform: draws.uniform())
  }
}

/// Payers whose payments are exponential: gamma with a coefficient of variation of 1.
private struct MoneyArm {
  private(set) var users = 0.0
  private(set) var payers = 0.0
  private var sum = 0.0
  private var squares = 0.0
  static let payment = 10.0
  static let rate = 0.08

  mutating func add(users count: Double, lift: Double, _ draws: inout Draws) {
    users += count
    let paying = binomialDraw(trials: count, probability: Self.rate * (1 + lift), uniform: draws.uniform())
    payers += paying
    for _ in 0..<Int(paying) {
      let payment = -Self.payment * log(1 - draws.uniform())
      sum += payment
      squares += payment * payment
    }
  }

  var share: Proportion { Proportion(successes: payers, trials: users) }
  var money: MeanArm? { MeanArm(Moments(count: users, sum: sum, sumOfSquares: squares)) }
}

/// Counts how often the interval of the yearly figure covers the truth.
private struct YearTally {
  var covered = 0
  var coveredByFixed = 0
  /// Estimates relative to the truth, minus 1.
  var excess = Moments()
  var count = 0

  mutating func add(_ arms: (MoneyArm, MoneyArm), daily: [Double], truth: Double) {
    guard let treatment = arms.0.money, let control = arms.1.money, let arrivals = Arrivals(daily: daily) else {
      return
    }
    let (difference, error) = (
      treatment.mean - control.mean, (treatment.variance + control.variance).squareRoot()
    )
    func impact(_ critical: Double) -> AnnualImpact? {
      AnnualImpact(difference: difference, standardError: error, critical: critical, arrivals: arrivals)
    }
    let critical = AsymptoticSequence().criticalValue(units: treatment.count + control.count)
    guard let found = impact(critical), let fixed = impact(normalQuantile975) else { return }
    count += 1
    if found.interval.contains(truth) { covered += 1 }
    if fixed.interval.contains(truth) { coveredByFixed += 1 }
    if truth != 0 { excess.add(found.value / truth - 1) }
  }

  mutating func add(_ other: YearTally) {
    covered += other.covered
    coveredByFixed += other.coveredByFixed
    excess.merge(other.excess)
    count += other.count
  }
}

private struct YearResult {
  var atDay42 = YearTally()
  /// At the first crossing, or else on day 42.
  var atStop = YearTally()
  var atCrossing = YearTally()
}

/// Checks the interval of a treatment's revenue over a year.
func yearOfMoneyChecks(repetitions: Int) -> [Check] {
  [0, 0.1, 0.3].flatMap { lift in
    let result = (0..<20).concurrentMap { piece -> YearResult in
      var (result, draws) = (YearResult(), Draws(name: "year \(lift) \(piece)"))
      for _ in stride(from: piece, to: repetitions, by: 20) { simulateYear(lift: lift, &result, &draws) }
      return result
    }.reduce(into: YearResult()) {
      $0.atDay42.add($1.atDay42)
      $0.atStop.add($1.atStop)
      $0.atCrossing.add($1.atCrossing)
    }
    let setting = "400 a day, over-dispersed, 8% pay, lift \(Int(100 * lift))%"
    func coverage(_ words: String, _ tally: YearTally) -> Check {
      Check.promise(
        "yearly money covered \(words)", setting, hits: tally.covered, of: tally.count, low: 0.95, full: 20_000)
    }
    let promised = [
      coverage("on day 42", result.atDay42),
      coverage("at the stop (first crossing, else day 42)", result.atStop),
    ]
    if lift == 0 { return promised }
    let crossed = result.atCrossing
    return promised + [
      coverage("at the first crossing", crossed),
      .told(
        "the fixed 95% interval instead, at the first crossing", setting, hits: crossed.coveredByFixed,
        of: crossed.count),
      Check(
        name: "estimate above the truth at the first crossing", setting: setting,
        outcome: .told(crossed.excess.mean ?? 0, standardError: crossed.excess.standardError ?? 0)),
    ]
  }
}

private func simulateYear(lift: Double, _ result: inout YearResult, _ draws: inout Draws) {
  let truth = 365 * MoneyArm.payment * MoneyArm.rate * lift * TrafficDay.usersADay
  var arms = (MoneyArm(), MoneyArm())
  var (test, daily, hasStopped) = (WatchedTest(rule: .alwaysValid(plannedUnits: 5_000)), [Double](), false)
  for day in 1...42 {
    let users = TrafficDay.users(day: day, &draws)
    let treated = binomialDraw(trials: users, probability: 0.5, uniform: draws.uniform())
    arms.0.add(users: treated, lift: lift, &draws)
    arms.1.add(users: users - treated, lift: 0, &draws)
    daily.append(users)
    let decision = test.look(day: day, [arms.1.share, arms.0.share])
    if day >= 14, !hasStopped, let outcome = decision?.outcome, outcome == .ship || outcome == .doNotShip {
      hasStopped = true
      result.atCrossing.add(arms, daily: daily, truth: truth)
      result.atStop.add(arms, daily: daily, truth: truth)
    }
  }
  result.atDay42.add(arms, daily: daily, truth: truth)
  if !hasStopped { result.atStop.add(arms, daily: daily, truth: truth) }
}
