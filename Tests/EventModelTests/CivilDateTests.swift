import EventModel
import Foundation
import Testing

@Suite struct CivilDateTests {
  /// Oracle: Foundation's Gregorian calendar, which is proleptic from 1582-10-15 on.
  @Test func agreesWithFoundationOnEveryDayFrom1900To2100() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for days in -25_567...47_482 {
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(days) * 86_400))
      let date = CivilDate(daysSince1970: days)
      guard date.year == parts.year, date.month == parts.month, date.day == parts.day else {
        Issue.record("day \(days) is \(date), but Foundation says \(parts)")
        return
      }
    }
  }

  @Test func daysAndDatesAreInverseFromYear0To9999() {
    let first = CivilDate(year: 0, month: 1, day: 1).daysSince1970
    let last = CivilDate(year: 9_999, month: 12, day: 31).daysSince1970
    #expect(first == -719_528)
    #expect(last == 2_932_896)
    for days in stride(from: first, through: last, by: 13) {
      #expect(CivilDate(daysSince1970: days).daysSince1970 == days)
    }
  }

  @Test(arguments: [
    (2026, 2, 29, false), (2024, 2, 29, true), (1900, 2, 29, false), (2000, 2, 29, true), (2026, 4, 31, false),
    (2026, 13, 1, false), (2026, 0, 1, false), (2026, 1, 0, false), (2026, 12, 31, true),
  ])
  func knowsWhichDaysExist(year: Int, month: Int, day: Int, exists: Bool) {
    #expect(CivilDate(year: year, month: month, day: day).isValid == exists)
  }

  @Test(arguments: [
    (CivilDate(year: 2026, month: 1, day: 31), 1, CivilDate(year: 2026, month: 2, day: 28)),
    (CivilDate(year: 2028, month: 1, day: 31), 1, CivilDate(year: 2028, month: 2, day: 29)),
    (CivilDate(year: 2025, month: 12, day: 31), 2, CivilDate(year: 2026, month: 2, day: 28)),
    (CivilDate(year: 2028, month: 2, day: 29), 12, CivilDate(year: 2029, month: 2, day: 28)),
    (CivilDate(year: 2026, month: 8, day: 31), 6, CivilDate(year: 2027, month: 2, day: 28)),
    (CivilDate(year: 2026, month: 3, day: 31), -1, CivilDate(year: 2026, month: 2, day: 28)),
    (CivilDate(year: 2026, month: 1, day: 15), -13, CivilDate(year: 2024, month: 12, day: 15)),
  ])
  func monthsAreCutToTheirLastDay(start: CivilDate, months: Int, end: CivilDate) {
    #expect(start.addingMonths(months) == end)
  }
}
