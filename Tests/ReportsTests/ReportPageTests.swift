import Testing

@testable import Metrics
@testable import Reports

struct ReportPageTests {
  private static let reports = [SampleReports.funnel, SampleReports.savings]

  private func folder(_ reports: [Report], isSpreadsheetSafe: Bool = false) -> ReportPage {
    var look = ReportPage.Look(version: "1.2.3")
    look.isSpreadsheetSafe = isSpreadsheetSafe
    return ReportPage(pages: [ReportPage.File(name: "index.html", text: "page\n")], tables: reports, look: look)
  }

  private func text(_ page: ReportPage, _ name: String) throws -> String {
    try #require(page.files.first { $0.name == name }).text
  }

  @Test func tablesPagesAndTheManifest() throws {
    let page = folder(Self.reports)
    #expect(page.files.map(\.name) == ["tables/funnel.csv", "tables/savings.csv", "index.html", "manifest.json"])
    try expectGolden(text(page, "manifest.json"), "page.manifest.json")
    #expect(try text(page, "tables/funnel.csv") == render(SampleReports.funnel, as: .csv))
    #expect(folder(Self.reports).files == page.files)
  }

  /// Computed with coreutils' `sha256sum` of `Golden/savings.csv`, which is an identical table.
  @Test func theManifestVouchesForEachFile() throws {
    let manifest = try text(folder(Self.reports), "manifest.json")
    #expect(manifest.contains("51f8961b6f4fe34325c3b892fb979db5260b2ac9ceb620e16c0fb6490ecc78f5"))
  }

  @Test func aSpreadsheetRunsNothing() throws {
    let page = folder([SampleReports.hostile], isSpreadsheetSafe: true)
    var options = RenderOptions()
    options.isSpreadsheetSafe = true
    #expect(try text(page, "tables/funnel.csv") == render(SampleReports.hostile, as: .csv, options: options))
    #expect(try text(page, "manifest.json").contains(#""csv": "spreadsheet""#))
  }

  @Test func namesOfFilesArePlain() {
    #expect(ReportPages.name("app", "steps", among: ["steps", "coach"]) == "app-steps.html")
    for name in ["../../etc/passwd", "a b", "", "é", "<b>"] {
      #expect(
        ReportPages.name("app", name, among: [name]).wholeMatch(of: /app-[A-Za-z0-9_-]*[0-9a-f]{8}\.html/) != nil,
        "\(name)")
    }
    // Some disks take these for one name.
    #expect(
      ReportPages.name("app", "Steps", among: ["Steps", "steps"])
        != ReportPages.name("app", "steps", among: ["Steps", "steps"]))
  }
}
