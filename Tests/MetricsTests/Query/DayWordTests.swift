import EventModel
import Testing

@testable import Metrics

@Suite struct DayWordTests {
  /// 2026-03-15 was a Sunday (`date -d 2026-03-15 +%A`).
  private static let newest = CivilDate(year: 2026, month: 3, day: 15)

  /// The first day and the day that each word ends before.
  @Test(arguments: [
    ("2026-02-01", "2026-02-01", "2026-02-01"), ("today", "2026-03-15", "2026-03-15"),
    ("yesterday", "2026-03-14", "2026-03-14"), ("Sunday", "2026-03-15", "2026-03-15"),
    ("monday", "2026-03-09", "2026-03-09"), ("28d", "2026-02-16", "2026-02-16"), ("4w", "2026-02-16", "2026-02-16"),
    ("3mo", "2025-12-16", "2025-12-16"), ("3m", "2025-12-16", "2025-12-16"), ("this week", "2026-03-09", "2026-03-16"),
    ("last week", "2026-03-02", "2026-03-09"), ("last month", "2026-02-01", "2026-03-01"),
    ("this quarter", "2026-01-01", "2026-04-01"), ("last_quarter", "2025-10-01", "2026-01-01"),
    ("last year", "2025-01-01", "2026-01-01"), ("2026-02", "2026-02-01", "2026-03-01"),
    ("2025-12", "2025-12-01", "2026-01-01"), ("2025-Q4", "2025-10-01", "2026-01-01"),
    ("2025", "2025-01-01", "2026-01-01"),
  ])
  func wordsAreRelativeToTheNewestDay(text: String, first: String, end: String) throws {
    let word = try #require(DayWord(text))
    #expect(word.first(newest: Self.newest).description == first)
    #expect(word.end(newest: Self.newest).description == end)
    #expect((word.date == nil) == (text != "2026-02-01"))
  }

  @Test(arguments: [
    "", "soon", "0d", "-3d", "d", "2026-02-30", "last day", "next week", "01/02/2026", "2026-13", "2026-00", "2026-Q5",
    "2026-2", "2026-", "26-02", "+202", "2026-+3",
  ])
  func otherWordsAreNoDays(text: String) { #expect(DayWord(text) == nil) }

  /// `--last month` is the last full month before the newest event; two ways to say the days are refused.
  @Test(arguments: [
    ("month", "2026-02-01", "2026-03-01"), ("quarter", "2025-10-01", "2026-01-01"), ("2d", "2026-03-14", "2026-03-16"),
  ])
  func lastIsAPeriodOrACount(text: String, from: String, to: String) throws {
    let line = #"{"event_id":"a","event":"activity","ts":"2026-03-15T12:00:00Z","app":"steps","user_id":"u"}"#
    let store = try TestStore(lines: [line])
    let request = try ReportRequest(.funnel, [ReportRequest.Given("last", [text])])
    let options = try store.store.read { try request.resolved($0) }.options
    #expect(options.from?.description == from && options.to?.description == to)
    #expect(throws: OptionError.self) {
      try ReportRequest(.funnel, [ReportRequest.Given("last", [text]), ReportRequest.Given("from", ["2026-01-01"])])
    }
    #expect(throws: OptionError.self) { try ReportRequest(.funnel, [ReportRequest.Given("last", ["day"])]) }
  }

  /// Six hours before its end, a Sunday is over (definitions 9.1), and its week is the last one; `this week` still has it.
  @Test(arguments: [("17", "2026-03-02", "2026-03-09"), ("18", "2026-03-09", "2026-03-16")])
  func aWeekIsTheLastOneOnceItsSundayIsOver(hour: String, from: String, to: String) throws {
    let line = #"{"event_id":"a","event":"activity","ts":"2026-03-15T\#(hour):00:00Z","app":"steps","user_id":"u"}"#
    let store = try TestStore(lines: [line])
    for given in [[("last", "week")], [("from", "last week"), ("to", "last week")]] {
      let request = try ReportRequest(.funnel, given.map { ReportRequest.Given($0.0, [$0.1]) })
      let options = try store.store.read { try request.resolved($0) }.options
      #expect(options.from?.description == from && options.to?.description == to)
    }
  }

  @Test func anAmbiguousDateIsAnsweredWithItsReadings() {
    #expect(DayWord.expectation(for: "01/02/2026") == "written as 2026-01-02 or 2026-02-01")
    #expect(DayWord.expectation(for: "31.01.2026") == "written as 2026-01-31")
    #expect(DayWord.expectation(for: "soon").contains("2026-03-01"))
  }
}
