import Foundation
import Statistics

/// Checks of the coverage of S(30): discrete daily hazards, 100 subjects, uniform censoring over 60 days. An undefined
/// interval is a miss.
func survivalChecks(repetitions: Int) -> [Check] {
  [(0.004, 0.956, 0.925), (0.02, 0.951, 0.943), (0.1, 0.88215, 0.8753)].flatMap { hazard, logLog, plain in
    var (draws, tally) = (Draws(name: "hazard \(hazard)"), Tally())
    let truth = pow(1 - hazard, 30)
    for _ in 0..<repetitions {
      let records = (0..<100).map { _ in
        let event = 1 + (log(1 - draws.uniform()) / log(1 - hazard)).rounded(.down)
        let censored = 1 + (draws.uniform() * 60).rounded(.down)
        return event <= censored ? SurvivalRecord(time: event, cause: 1) : SurvivalRecord(time: censored, cause: 0)
      }
      let step = KaplanMeier(records).step(at: 30)
      tally.alarm("log-log", if: step?.logLogInterval()?.contains(truth) == true)
      tally.alarm("plain", if: step?.plainInterval()?.contains(truth) == true)
      tally.endRepetition()
    }
    return [("log-log", logLog), ("plain", plain)].map { kind, anchor in
      Check(
        name: "coverage of Kaplan–Meier, \(kind)", setting: "hazard \(hazard) a day, n = 100, day 30",
        outcome: .share(hits: tally[kind], of: repetitions, anchor: anchor, anchored: 20_000))
    }
  }
}
