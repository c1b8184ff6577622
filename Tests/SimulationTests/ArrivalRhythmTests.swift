import EventModel
import Testing

@testable import Simulation

struct ArrivalRhythmTests {
  /// Arrivals are computed, not drawn, so a day's count is its share of the total weight, within one user.
  @Test func personsComeInOrderByTheWeeklyRhythm() throws {
    let firstDay = try #require(CivilDate("2026-01-07"))
    let rhythm = ArrivalRhythm(firstDay: firstDay, days: 21)
    let arrivals = (0..<7_000).map { rhythm.arrival(of: $0, among: 7_000) }
    #expect(arrivals == arrivals.sorted())

    let counts = Dictionary(grouping: arrivals) { Int($0 / .day) - firstDay.daysSince1970 }
    let weights = ArrivalRhythm.weekdayWeights
    for day in 0..<21 {
      let expected = 7_000 * weights[(day + 2) % 7] / (3 * weights.reduce(0, +))
      #expect(abs(Double(counts[day]?.count ?? 0) - expected) <= 1)
    }
    #expect(counts.keys.min() == 0 && counts.keys.max() == 20)
  }
}
