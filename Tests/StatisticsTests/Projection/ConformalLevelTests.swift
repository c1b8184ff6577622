import Foundation
import Statistics
import Testing

/// Conformal ranges of a series of forecasts, by hand from the rules of Lei et al. (2018) and Gibbs & Candès (2021).
struct ConformalLevelTests {
  /// At α = 0.1 at least ⌈10⌉ − 1 = 9 scores are needed; of 9 the ⌈10 · 0.9⌉ = 9th counts, of 19 the ⌈20 · 0.9⌉ = 18th, of 20
  /// the ⌈18.9⌉ = 19th.
  @Test func theHalfWidthIsARankOfTheScores() {
    let level = ConformalLevel()
    #expect(level.fewestScores == 9)
    #expect(level.halfWidth((1...8).map(Double.init)) == nil)
    #expect(level.halfWidth((1...9).reversed().map(Double.init)) == 9)
    #expect(level.halfWidth((1...19).map(Double.init)) == 18)
    #expect(level.halfWidth((1...20).map(Double.init)) == 19)
    // (29 + 1) · 0.9 is 27 but for rounding.
    #expect(level.halfWidth((1...29).map(Double.init)) == 27)
  }

  /// A miss: 0.1 + 0.02 · (0.1 − 1) = 0.082, which needs ⌈12.2⌉ − 1 = 12 scores. Then a hit: 0.084, and 11 scores. Five misses:
  /// 0.1 − 5 · 0.018 = 0.01, kept at 0.02, and 49 scores. A hundred hits: 0.1 + 100 · 0.002 = 0.3.
  @Test func theLevelFollowsTheMisses() {
    var level = ConformalLevel()
    level.note(isMissed: true)
    #expect(abs(level.alpha - 0.082) < 1e-12 && level.fewestScores == 12)
    level.note(isMissed: false)
    #expect(abs(level.alpha - 0.084) < 1e-12 && level.fewestScores == 11)
    var missing = ConformalLevel()
    for _ in 0..<5 { missing.note(isMissed: true) }
    #expect(missing.alpha == 0.02 && missing.fewestScores == 49)
    var hitting = ConformalLevel()
    for _ in 0..<150 { hitting.note(isMissed: false) }
    #expect(hitting.alpha == 0.3)
  }

  @Test func scoresAreLogarithmsOfTheError() {
    #expect(conformalScore(predicted: 5, actual: 5) == 0)
    #expect(abs(conformalScore(predicted: 10, actual: 5) - log(2)) < 1e-15)
    #expect(abs(conformalScore(predicted: 5, actual: 10) - log(2)) < 1e-15)
    #expect(conformalScore(predicted: 0, actual: 5) == .infinity)
    #expect(conformalScore(predicted: 5, actual: 0) == .infinity)
    #expect(conformalScore(predicted: 5, actual: -1) == .infinity)
  }
}
