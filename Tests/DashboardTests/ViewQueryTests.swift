import Metrics
import Testing

@testable import Dashboard

@Suite struct ViewQueryTests {
  private static func view(_ name: String) throws -> ReportView { try #require(ReportView.named(name)) }

  /// Encoded by Python: `urllib.parse.urlencode`.
  @Test func anAddressIsReadAsFormsWriteIt() throws {
    let query = try ViewQuery("app=a+b&app=caf%C3%A9&where=country%3DDE%2CAT&by=&x&=y&&to=2026-01-01")
    #expect(query.values("app") == ["a b", "café"] && query.values("where") == ["country=DE,AT"])
    #expect(query.values("by") == [] && query.values("x") == [] && query.first("to") == "2026-01-01")
    #expect(query.text == "app=a%20b&app=caf%C3%A9&where=country%3DDE,AT&=y&to=2026-01-01")
    #expect(try ViewQuery(query.text).text == query.text)
    for text in ["app=%", "app=%4", "app=%GG", "app=%FF", "%C3=1"] {
      #expect(throws: ReportFault.self, "\(text)") { try ViewQuery(text) }
    }
  }

  @Test(arguments: ["<script>&\"'", "a=b&c=d", "+ %", "\u{0}\u{202E}\n", "é\u{301}🏃", "--output=/etc/passwd", "#?/"])
  func everyValueComesBackAsItWas(value: String) throws {
    let query = ViewQuery([ViewQuery.Item(name: "where", value: value)])
    #expect(try ViewQuery(query.text) == query)
  }

  @Test func wordsAreThoseOfTheCommandLine() throws {
    let query = try ViewQuery(
      "app=steps&app=-x&by=variant&by=entry_point,plan&where=country%3DDE&as-of=2026-03-01&unit=view&limit=5&from=")
    #expect(
      try query.words(for: Self.view("funnel"), format: .csv) == [
        "funnel", "--format=csv", "--app=steps", "--app=-x", "--by=variant", "--by=entry_point,plan",
        "--where=country=DE",
        "--as-of=2026-03-01", "--unit=view", "--limit=5",
      ])
    #expect(
      try ViewQuery("movement=true").words(for: Self.view("mrr"), format: .json) == [
        "mrr", "--format=json", "--movement",
      ])
    #expect(
      try ViewQuery("movement=false").words(for: Self.view("mrr"), format: .json) == ["mrr", "--format=json"])
    #expect(
      try ViewQuery("name=--output%3Dx&app=a").words(for: Self.view("experiment"), format: .csv) == [
        "experiment", "--format=csv", "--app=a", "--", "--output=x",
      ])
    #expect(
      try ViewQuery("reason=x").words(for: Self.view("quarantine"), format: .csv) == [
        "quarantine", "list", "--format=csv", "--reason=x",
      ])
  }

  /// A link to another page leaves out what that page would refuse.
  @Test(arguments: [
    ("activity", "app=a&where=plan%3Dmonthly&where=country%3DDE", "app=a&where=country%3DDE"),
    ("experiments", "where=tier%3Dindividual&where=variant!%3Dx&where=cohort:c", "where=variant%21%3Dx&where=cohort:c"),
    ("funnel", "where=stage%3Dfirst&where=property:x%3Dy&compare=previous", "where=property:x%3Dy&compare=previous"),
    ("funnel", "compare=stage%3Dfirst&range=28d&where=colour%3Dred", "range=28d"),
    ("activity", "compare=previous&by=week", ""), ("activity", "compare=before", "compare=before"),
    ("payback", "where=country%3DDE&app=a", "app=a"), ("reconcile", "where=country%3DDE&app=a", "app=a"),
  ])
  func linksKeepWhatAReportTakes(view: String, query: String, kept: String) throws {
    let view = try Self.view(view)
    #expect(
      try Pages.address(of: view, keeping: ViewQuery(query)) == (kept.isEmpty ? view.path : "\(view.path)?\(kept)"))
  }

  @Test func aFilterTakesThePlaceOfOthersOnItsDimension() throws {
    let query = try ViewQuery("app=a&where=plan%3Dx&where=country!%3DDE&compare=plan%3Dy&sort=users")
    #expect(query.narrowed(to: "plan", ["m", "y"]).text == "app=a&where=country%21%3DDE&where=plan%3Dm,y&sort=users")
    #expect(query.narrowed(to: "country", []).text == "app=a&where=plan%3Dx&compare=plan%3Dy&sort=users")
    let months = try ViewQuery("where=month%3D2026-01&where=cohort:c")
    #expect(months.filters(takenBy: .mrr, rows: nil) == months)
    #expect(months.filters(takenBy: .mrr, rows: [.week]).text == "where=cohort:c")
  }

  @Test func theOverviewIsLinkedForDaysThatItHas() throws {
    var facts = StoreFacts()
    facts.apps = [DataApp(name: "a", days: 20_458..<20_528)]
    for (query, link) in [
      ("app=a&range=28d&compare=previous&where=country%3DDE", "/?app=a&range=28d"),
      ("from=2026-01-05&to=2026-01-12&compare=year", "/?from=2026-01-05&to=2026-01-12&compare=year"),
      ("from=2020-01-05&to=2020-01-12", "/"), ("range=soon", "/"),
    ] {
      #expect(try Pages.home(keeping: ViewQuery(query), facts) == link)
    }
  }

  /// No address can set options that read or write files, or that belong to other reports.
  @Test(arguments: [
    ("funnel", "output=x"), ("funnel", "store=x"), ("funnel", "config=x"), ("funnel", "log-level=trace"),
    ("experiment", "name=a&config=/etc/passwd"), ("funnel", "--output=x"), ("funnel", "movement=true"),
    ("funnel", "plot=true"), ("mrr", "movement=maybe"), ("funnel", "from=2026-01-01&from=2026-01-02"),
    ("experiment", "app=a"), ("health", "by=variant"),
  ])
  func nothingElseIsReached(view: String, query: String) throws {
    let view = try Self.view(view)
    #expect(throws: ReportFault.self) { try ViewQuery(query).request(for: view) }
  }
}
