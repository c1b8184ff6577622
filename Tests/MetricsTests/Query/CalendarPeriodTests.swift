import EventModel
import Testing

@testable import Metrics

@Suite struct CalendarPeriodTests {
  @Test(arguments: [
    (Dimension.day, "2026-05-17", "2026-05-18", "2026-05-17"), (.week, "2026-05-11", "2026-05-18", "2026-05-11"),
    (.month, "2026-05-01", "2026-06-01", "2026-05"), (.quarter, "2026-04-01", "2026-07-01", "2026-Q2"),
    (.year, "2026-01-01", "2027-01-01", "2026"),
  ])
  func aDayLiesInOnePeriodOfEachLength(period: Dimension, first: String, next: String, label: String) throws {
    let day = try #require(CivilDate("2026-05-17"))
    let start = period.first(of: day)
    #expect(start.description == first && period.next(start).description == next)
    #expect(period.label(ofPeriod: start) == label && period.firstDay(ofPeriod: label) == start)
    #expect(Dimension.period(period.name) == period && period.isPeriod)
    #expect(
      period.code(ofDay: Int64(day.daysSince1970)) == Instant(startOf: start).millisecondsSince1970)
  }

  @Test(arguments: ["2026-Q0", "2026-Q5", "2026-Q", "26-Q1", "2026-Q12", "Q1"])
  func otherTextsAreNoQuarters(text: String) { #expect(Dimension.quarter.firstDay(ofPeriod: text) == nil) }
}
