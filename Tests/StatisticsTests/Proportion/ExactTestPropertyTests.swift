import Statistics
import Testing

/// Compares exact tests with each other over small tables; `make calibrate` checks the other properties of tables.
struct ExactTestPropertyTests {
  @Test func fishersTailsAndBoschloosPowerAgree() throws {
    var compared = 0
    for (one, two) in [(4.0, 9.0), (9, 9), (7, 5)] {
      for x1 in stride(from: 0, through: one, by: 1) {
        for x2 in stride(from: 0, through: two, by: 1) {
          let (first, second) = (Proportion(successes: x1, trials: one), Proportion(successes: x2, trials: two))
          let fisher = try #require(fisherTest(first, second))
          #expect(fisher.greaterP + fisher.lessP > 1 - 1e-12 && fisher.twoSidedP <= 1)
          guard let boschloo = try boschlooTest(first, second) else { continue }
          // Boschloo's one-sided p is never above Fisher's.
          #expect(boschloo <= 2 * min(fisher.greaterP, fisher.lessP) + 1e-9)
          compared += 1
        }
      }
    }
    #expect(compared > 0)
  }
}
