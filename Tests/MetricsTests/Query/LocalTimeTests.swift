import Basics
import EventModel
import Foundation
import Testing

@testable import Metrics

/// Compares days, weeks and months of a time zone with those of Foundation's calendar.
struct LocalTimeTests {
  /// 2008-01-01 to 2038-01-01, ms.
  private static let range: ClosedRange<Int64> = 1_199_145_600_000...2_145_916_800_000

  /// Returns the first day of the day, week and month of each instant, as `2026-03-01`.
  private func dates(_ instants: [Int64], zone: String, range: ClosedRange<Int64> = range) throws -> [[String]] {
    let time = try LocalTime(timeZone: zone, instants: range)
    return instants.map { instant in
      [Dimension.day, .week, .month].map { dimension in
        CivilDate(daysSince1970: Int(dimension.code(ofDay: time.day(of: instant)) / 86_400_000)).description
      }
    }
  }

  /// Returns Foundation's result for the instants.
  private func expected(_ instants: [Int64], zone: String) throws -> [[String]] {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = try #require(TimeZone(identifier: zone))
    func text(_ date: Date) -> String {
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      return String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
    }
    return try instants.map { instant in
      let date = Date(timeIntervalSince1970: Double(instant) / 1000)
      // Weeks of ISO 8601 start on Monday. Noon, because some days of some zones have no midnight.
      let noon = try #require(calendar.date(bySettingHour: 12, minute: 0, second: 0, of: date))
      let sinceMonday = (calendar.component(.weekday, from: noon) + 5) % 7
      let monday = try #require(calendar.date(byAdding: .day, value: -sinceMonday, to: noon))
      return [text(date), text(monday), String(text(date).prefix(8)) + "01"]
    }
  }

  @Test(arguments: [
    "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Sao_Paulo",
    "Pacific/Kiritimati", "Asia/Almaty",
  ])
  func agreesWithFoundation(zone name: String) throws {
    var random = SplitMix64(seed: 20_260_301)
    var instants = (0..<600).map { _ in Int64.random(in: Self.range, using: &random) }
    // The edges of the days around each clock change.
    let zone = try #require(TimeZone(identifier: name))
    var date = Date(timeIntervalSince1970: Double(Self.range.lowerBound) / 1000)
    while let next = zone.nextDaylightSavingTimeTransition(after: date), instants.count < 900 {
      let change = Int64((next.timeIntervalSince1970 * 1000).rounded())
      if change >= Self.range.upperBound { break }
      instants += [change - 1, change]
      let local = change + Int64(zone.secondsFromGMT(for: next)) * 1000
      let midnight = change - local % 86_400_000 + 86_400_000
      instants += [midnight - 1, midnight]
      date = next
    }
    #expect(try dates(instants, zone: name) == expected(instants, zone: name))
  }

  /// By Python's zoneinfo (tzdata 2025b): instants just before and at a local midnight that a wrong rule would miss.
  @Test(arguments: [
    // Clocks forward at midnight: the day started at 01:00 −02.
    ("America/Sao_Paulo", "2018-11-04T02:59:59.999Z", "2018-11-03"),
    ("America/Sao_Paulo", "2018-11-04T03:00:00.000Z", "2018-11-04"),
    // No summer time since 2019.
    ("America/Sao_Paulo", "2025-12-01T02:59:59.999Z", "2025-11-30"),
    // Half an hour of summer time: +11, else +10:30.
    ("Australia/Lord_Howe", "2026-01-14T12:59:59.999Z", "2026-01-14"),
    ("Australia/Lord_Howe", "2026-01-14T13:00:00.000Z", "2026-01-15"),
    ("Australia/Lord_Howe", "2026-07-14T13:29:59.999Z", "2026-07-14"),
    ("Asia/Kolkata", "2026-03-01T18:30:00.000Z", "2026-03-02"),
    // +06 until 2024-03-01T00:00, then +05.
    ("Asia/Almaty", "2024-02-28T18:00:00.000Z", "2024-02-29"),
    ("Asia/Almaty", "2024-03-02T18:00:00.000Z", "2024-03-02"),
    ("Europe/Berlin", "2026-03-29T22:00:00.000Z", "2026-03-30"),
    ("America/New_York", "2026-11-02T04:59:59.999Z", "2026-11-01"),
  ])
  func daysBeginAtLocalMidnight(zone: String, instant: String, day: String) throws {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    let date = try #require(formatter.date(from: instant))
    let ts = Int64((date.timeIntervalSince1970 * 1000).rounded())
    #expect(try dates([ts], zone: zone)[0][0] == day)
  }

  /// An as-of may be far ahead of the data. By Python's zoneinfo: the last ms of March and the first of April.
  @Test(arguments: [("2100-01-01", 4_102_444_800_000 as Int64), ("9999-12-31", 253_402_214_400_000)])
  func monthsReachFarAhead(day: String, end: Int64) throws {
    let april: [Int64] = [4_078_677_599_999, 4_078_677_600_000]
    let dates = try dates(april, zone: "Europe/Berlin", range: Self.range.lowerBound...end)
    #expect(dates.map { $0[2] } == ["2099-03-01", "2099-04-01"], "as of \(day)")
  }

  @Test(arguments: ["EST", "Berlin", "Mars/Olympus", "", "+02:00"])
  func refusesWhatIsNoIANAName(_ name: String) {
    #expect(throws: ReportError.self) { try LocalTime(timeZone: name, instants: Self.range) }
  }
}
