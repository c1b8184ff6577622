import Basics
import EventModel
import Metrics
import Reports
import Testing

@testable import Dashboard

@Suite struct PageDaysTests {
  /// 5 January to 15 March 2026.
  private static let data =
    CivilDate(year: 2026, month: 1, day: 5).daysSince1970..<CivilDate(year: 2026, month: 3, day: 16).daysSince1970

  private func asked(_ address: String) throws -> String {
    let query = try ViewQuery(address)
    return try PageDays(query, data: Self.data, standard: .all).query(query).text
  }

  @Test func wordsBecomeDaysOfTheData() throws {
    #expect(try asked("app=steps&range=28d&compare=off&columns=all") == "app=steps&from=2026-02-16&to=2026-03-16")
    #expect(try asked("range=2w") == "from=2026-03-02&to=2026-03-16")
    #expect(try asked("range=month") == "from=2026-03-01&to=2026-03-16")
    #expect(try asked("range=all") == "" && asked("from=2026-02-01") == "from=2026-02-01")
  }

  /// The end of an address is exclusive; readers see the last day that counts.
  @Test func theLastDayIsNamed() {
    func chip(_ name: String, _ value: String) -> String? { PageDays.inWords(.init(name: name, value: value)) }
    #expect(chip("from", "2026-02-16") == "16 Feb 2026" && chip("to", "2026-03-16") == "15 Mar 2026")
    #expect(chip("to", "yesterday") == nil && chip("where", "2026-03-16") == nil)
    #expect(PageDays.lastDayName(.init(name: "to", value: "2026-03-16")) == "through")
    #expect(PageDays.lastDayName(.init(name: "to", value: "yesterday")) == "before")
  }

  /// 28 days up to 15 March are compared with the 28 days up to 15 February; a year ago there are no data.
  @Test(arguments: [
    (
      "range=28d&compare=before&by=week,plan&sort=gross",
      "from=2026-02-16&to=2026-03-16&by=plan&compare=2026-01-19..2026-02-16"
    ),
    ("range=28d&compare=before&by=week", "from=2026-02-16&to=2026-03-16&by=none&compare=2026-01-19..2026-02-16"),
    ("range=28d&compare=variant=control", "from=2026-02-16&to=2026-03-16&compare=variant%3Dcontrol"),
    ("range=28d&compare=year", nil), ("range=28d&compare=off", nil), ("range=28d", nil), ("compare=before", nil),
  ])
  func aPageComparesTheDaysOfItsMenu(address: String, expected: String?) throws {
    let query = try ViewQuery(address)
    let days = try PageDays(query, data: Self.data, standard: .all)
    let items = days.compared(days.query(query), as: query)?.items.map { "\($0.name)=\($0.value)" }
    #expect(items?.sorted() == expected?.replacing("%3D", with: "=").split(separator: "&").map(String.init).sorted())
  }

  @Test(arguments: ["range=soon", "range=0d", "from=tomorrow", "to=2026-02-30"])
  func whatNamesNoDaysIsRefused(address: String) {
    #expect(throws: ReportFault.self) { try asked(address) }
  }

  @Test func viewsHaveNamesAndAddressesOfThisServer() throws {
    let views = try SavedView.views("- {name: A, address: /reports/funnel?app=a, pinned: true}\n", file: "views.yaml")
    #expect(views == [SavedView(name: "A", address: "/reports/funnel?app=a", isPinned: true)])
    let named = try SavedView.views(
      "views: {de: {report: funnel, where: {country: DE}, from: last 28 days, columns: users}}", file: "views.yaml")
    #expect(
      named == [
        SavedView(name: "de", address: "/reports/funnel?last=28d&where=country%3DDE&columns=users", isPinned: true)
      ])
    for text in ["- {name: A}", "- {name: A, address: 'https://example.com'}", "- {name: A, address: //x}", "- {x: 1}"]
    {
      #expect(throws: ConfigurationError.self, "\(text)") { try SavedView.views(text, file: "views.yaml") }
    }
  }
}
