import Testing

@testable import Metrics
@testable import Reports

struct ReportPageTests {
  private static let reports = [SampleReports.funnel, SampleReports.savings]

  private func text(_ page: ReportPage, _ name: String) throws -> String {
    try #require(page.files.first { $0.name == name }).text
  }

  @Test func wholePage() throws {
    let page = ReportPage(Self.reports, version: "1.2.3")
    #expect(page.files.map(\.name) == ["funnel.csv", "savings.csv", "index.html", "manifest.json"])
    try expectGolden(text(page, "index.html"), "page.index.html")
    try expectGolden(text(page, "manifest.json"), "page.manifest.json")
    #expect(try text(page, "funnel.csv") == render(SampleReports.funnel, as: .csv))
    #expect(ReportPage(Self.reports, version: "1.2.3").files == page.files)
  }

  /// Computed with coreutils' `sha256sum` of `Golden/savings.csv`, which is an identical table.
  @Test func theManifestVouchesForEachFile() throws {
    let manifest = try text(ReportPage(Self.reports, version: "1.2.3"), "manifest.json")
    #expect(manifest.contains("51f8961b6f4fe34325c3b892fb979db5260b2ac9ceb620e16c0fb6490ecc78f5"))
  }

  @Test func whatReportsShareIsSaidOnce() throws {
    let page = try text(ReportPage(Self.reports, version: "1"), "index.html")
    #expect(page.matches(of: /as of 2026/).count == 1)
    #expect(page.contains("funnel horizon 17 d"))
    #expect(page.matches(of: /<dt>by<\/dt>/).count == 2)
  }

  @Test func longTablesAreCutButNotTheirCSV() throws {
    var long = SampleReports.funnel
    long.rows = (0..<1_000).map { number in
      var row = SampleReports.funnel.rows[0]
      row[2] = .text("entry_\(number)")
      return row
    }
    let page = ReportPage([long], version: "1")
    #expect(try text(page, "index.html").contains("<p>100 of 1000 rows.</p>"))
    #expect(try text(page, "funnel.csv").split(separator: "\n").count == 1_001)
    #expect(try text(page, "index.html").utf8.count < 1_000_000)
  }

  @Test func aSpreadsheetRunsNothing() throws {
    let page = ReportPage([SampleReports.hostile], version: "1", isSpreadsheetSafe: true)
    var options = RenderOptions()
    options.isSpreadsheetSafe = true
    #expect(try text(page, "funnel.csv") == render(SampleReports.hostile, as: .csv, options: options))
    #expect(try text(page, "manifest.json").contains(#""csv": "spreadsheet""#))
  }

  @Test func aStoreWithoutEventsHasAPage() throws {
    var empty = SampleReports.empty
    empty.asOf = []
    let page = ReportPage([empty], version: "1")
    #expect(try text(page, "index.html").contains("<h1>Subscription report</h1>"))
    #expect(try text(page, "index.html").contains("all, no events"))
  }
}
