import EventModel
import Testing

@testable import Metrics

@Suite struct ReportOptionTests {
  private static func request(_ given: [String: [String]]) throws -> ReportRequest {
    try ReportRequest(.funnel, given.map { ReportRequest.Given($0.key, $0.value) })
  }

  @Test func optionsOfListsAddUp() throws {
    let request = try Self.request([
      "by": ["variant", "quarter,year"], "where": ["country!=US,gb", "platform="],
    ])
    #expect(request.options.by == [.variant, .quarter, .year])
    #expect(request.options.filters.map(\.description) == ["country!=US,GB", "platform=(none)"])
    #expect(request.options.filters.map(\.isExcluding) == [true, false])
    #expect(try Self.request(["by": ["none"]]).options.by == [])
  }

  @Test(arguments: [
    (["by": ["plan", "plan"]], "--by names plan twice"),
    (["where": ["country=DE", "country!=US"]], "--where is on country twice: name both values in one --where"),
    (["from": ["2026-01-01", "2026-01-02"]], "--from is given 2 times"),
    (["from": ["01/02/2026"]], "--from is 01/02/2026, but must be written as 2026-01-02 or 2026-02-01"),
    (["last": ["28 days"]], "--last is 28 days, but must be at least 1 day, week or month"),
    (["last": ["this month"]], "for other days, use --from and --to, as in --from \"this month\""),
    (["last": ["28d"], "to": ["monday"]], "--last sets both ends"), (["by": ["varient"]], "did you mean variant?"),
    (["wher": ["a=b"]], "did you mean --where?"), (["limit": ["abc"]], "--limit is abc, but must be a whole number"),
    (["horizon": ["99999999"]], "--horizon is 99999999, but must be a number of days from 0 to 36525"),
    (["from": [""]], "--from is empty, but must be a day"),
  ])
  func whatIsWrongIsSaidWithWhatToDo(given: [String: [String]], words: String) {
    do {
      _ = try Self.request(given)
      Issue.record("\(given) is taken")
    } catch { #expect("\(error)".contains(words), "\(error)") }
  }

  @Test(arguments: [
    ("--cell matches 4 rows; add app=VALUE", "key matches 4 rows; add app=VALUE"),
    ("use --from and --to, not --as-of", "use from and to, not as_of"),
    ("--a is a--b (--c): run `tollgate doctor --repair`", "a is a--b (c): run `tollgate doctor --repair`"), ("", ""),
  ])
  func messagesForProgramsNameParameters(message: String, parameters: String) {
    #expect(ReportRequest.parameterText(message) { $0.replacing("-", with: "_") } == parameters)
  }
}
