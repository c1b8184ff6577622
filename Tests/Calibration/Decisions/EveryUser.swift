import Foundation
import Statistics

/// Checks with a look after every pair of users, one in each arm.
func everyUserChecks(repetitions: Int) -> [Check] {
  everyUser(rate: 0.02, pairs: 5_000, plannedUnits: 5_000, repetitions).map { tally, setting in
    [
      ("asymptotic sequence, N* 5,000", "first", 0.02375), ("conversion share, k = 20", "share", 0.0185),
    ].map { check($0, tally[$1], $2, setting, repetitions) }
  }
    + everyUser(rate: 0.3, pairs: 2_000, plannedUnits: 100, repetitions).map { tally, setting in
      [
        ("asymptotic sequence, N* 100, from the first user", "first", 0.0665),
        ("asymptotic sequence, N* 100, from 50 users", "later", 0.03225),
        ("conversion share, k = 20", "share", 0.00675),
      ].map { check($0, tally[$1], $2, setting, repetitions) }
    }
}

private func check(_ name: String, _ hits: Int, _ anchor: Double, _ setting: String, _ count: Int) -> Check {
  Check(name: name, setting: setting, outcome: .share(hits: hits, of: count, anchor: anchor, anchored: 4_000))
}

/// Alarms at any look by method, and the setting in words.
private struct EveryUserRun {
  var tally = Tally()
  var setting: String

  func map(_ body: (Tally, String) -> [Check]) -> [Check] { body(tally, setting) }
}

private func everyUser(rate: Double, pairs: Int, plannedUnits: Double, _ repetitions: Int) -> EveryUserRun {
  let (sequence, share) = (
    AsymptoticSequence(plannedUnits: plannedUnits), ConversionShare(allocation: [1, 1], concentration: 20)
  )
  var run = EveryUserRun(setting: "p = \(100 * rate)%, after every pair to \(pairs) an arm")
  var draws = Draws(name: "every user \(rate)")
  // The boundary depends on the number of units only.
  let criticals = (1...pairs).map { sequence.criticalValue(units: 2 * Double($0)) }
  for _ in 0..<repetitions {
    var (x1, x2, isShareAlarmed) = (0.0, 0.0, false)
    for pair in 1...pairs {
      let (one, two) = (draws.uniform() < rate, draws.uniform() < rate)
      x1 += one ? 1 : 0
      x2 += two ? 1 : 0
      let n = Double(pair)
      let variance = (x1 * (n - x1) + x2 * (n - x2)) / (n * n * n)
      if variance > 0 {
        let isAlarmed = abs(x1 - x2) / n > criticals[pair - 1] * variance.squareRoot()
        run.tally.alarm("first", if: isAlarmed)
        run.tally.alarm("later", if: isAlarmed && pair >= 50)
      }
      // The e-value changes with conversions only.
      if !isShareAlarmed, one || two { isShareAlarmed = share.logEValue([x1, x2]) > log(20) }
    }
    run.tally.alarm("share", if: isShareAlarmed)
    run.tally.endRepetition()
  }
  return run
}
