import Foundation
import Testing

@testable import Simulation

struct CivilDayTests {
  /// The oracle is Foundation's formatter, on every 100th day from 1900 to 2100.
  @Test func printsAsFoundationDoes() {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withFullDate]
    for days in stride(from: -25_567, to: 47_482, by: 100) {
      let day = CivilDay(daysSinceEpoch: days)
      #expect(day.description == formatter.string(from: Date(timeIntervalSince1970: Double(days) * 86_400)))
      #expect(CivilDay(day.description) == day)
    }
  }

  @Test(arguments: ["", "2026-1-05", "2026-13-01", "2026-02-29", "2026-00-10", "2026-01-00", "26-01-05", "2026-01-+5"])
  func refusesWhatIsNoDay(text: String) {
    #expect(CivilDay(text) == nil)
  }

  @Test func monthsKeepTheDayOrCutItToTheLast() throws {
    let last = try #require(CivilDay("2026-01-31"))
    #expect(last.advanced(months: 1).description == "2026-02-28")
    #expect(last.advanced(months: 2).description == "2026-03-31")
    #expect(last.advanced(months: 12).description == "2027-01-31")
    #expect(try #require(CivilDay("2026-12-15")).advanced(months: 1).description == "2027-01-15")
  }

  @Test func weekStartsOnMonday() throws {
    #expect(try #require(CivilDay("2026-01-05")).weekday == 0)
    #expect(try #require(CivilDay("2026-01-11")).weekday == 6)
  }
}
