import EventModel
import Foundation
import Metrics
import Reports
import Testing

/// The report page of the sample store, whose truth is known.
@Suite(.serialized)
struct PageReportsTests {
  private static let store = Result {
    try TestStore(paths: [Fixtures.package.appendingPathComponent("SampleData/events").path])
  }

  private static func page(_ words: String...) throws -> ReportPage {
    let options = try ReportOptions(arguments: words)
    return ReportPage(try store.get().store.read { try PageReports($0, options) }, look: ReportPage.Look(version: "1"))
  }

  private static let standard = Result { try page() }

  private static func text(_ page: ReportPage, _ name: String = "index.html") throws -> String {
    try #require(page.files.first { $0.name == name }).text
  }

  @Test func theSameStoreGivesTheSameBytes() throws {
    #expect(try Self.page().files == Self.standard.get().files)
  }

  @Test func itHasAPageForEachAppAndExperiment() throws {
    let page = try Self.standard.get()
    let tables = [
      "changes", "experiments", "experiment", "funnel", "trials", "savings", "cancellations", "revenue", "mrr",
      "subscriptions", "retention", "retention_cohorts", "ltv",
    ].map { "tables/\($0).csv" }
    let apps = ["coach", "praxisen", "steps", "techniq"].map { "app-\($0).html" }
    let experiments = ["coach_gate_timing", "praxisen_limit_copy", "steps_yearly_anchor", "techniq_headline"].flatMap {
      ["experiment-\($0).html", "memo-\($0).html"]
    }
    #expect(
      page.files.map(\.name) == tables + ["index.html"] + apps + experiments + [Design.stylesheetName, "manifest.json"])
    // Every link leads to a file of the folder or a place on a page.
    for file in page.files where file.name.hasSuffix(".html") {
      let links = file.text.matches(of: /href="([^"#]*)(#[^"]*)?"/).map { String($0.output.1) }
      #expect(
        links.allSatisfy { link in ["", "data:,"].contains(link) || page.files.contains { $0.name == link } },
        "\(file.name)")
      #expect(file.text.utf8.count + Design.stylesheet.utf8.count <= 150_000, "\(file.name)")
    }
  }

  /// The home page's answers to a newcomer's questions: what it says of the sample apps with their rates.
  @Test func theHomePageHasTheVerdicts() throws {
    let text = try Self.text(Self.standard.get())
    for (name, state) in [
      ("steps_yearly_anchor", "Ship anchor"), ("techniq_headline", "Do not ship free_week"),
      ("coach_gate_timing", "Do not ship day_five"), ("praxisen_limit_copy", "Undecided"),
    ] {
      #expect(text.contains("<bdi>\(name)</bdi></p>") && text.contains(">\(state)</span>"), "\(name)")
    }
    #expect(text.contains("Churn: 18 days without an event") && text.contains("2,008 viewers can still buy"))
    // Of new payers, 667 in these days; the tile of the 28 days before, 19 Jan to 15 Feb, says 655.
    #expect(text.contains("<span class=\"muted\">before 655</span>"))
    // The row of techniq (+40%, ±19) says "more than chance", though no week alone does. The tile of churn does not judge:
    // few renewals were due in the days before.
    let moved =
      #/the 28 days before: net revenue of techniq\. Last full week, compared with the week before: none of \d+ numbers\./#
    #expect(text.contains(moved))
  }

  /// The key numbers of an app are of 28 days, all else of the data's 70; a viewer of steps counts after 17 days.
  @Test func aPageOfAnAppSaysWhichDaysItsPartsAreOf() throws {
    let text = try Self.text(Self.standard.get(), "app-steps.html")
    #expect(text.contains("Key numbers: 16 Feb to 15 Mar 2026"))
    #expect(text.contains("<h2 class=\"part\">All 70 days: 5 Jan to 15 Mar 2026</h2>"))
    #expect(text.contains("viewers are too recent to count: less than 17 days since the first paywall."))
  }

  @Test func aSinglePageHasEverything() throws {
    var look = ReportPage.Look(version: "1")
    look.isSingleFile = true
    let page = ReportPage(try Self.store.get().store.read { try PageReports($0, ReportOptions()) }, look: look)
    #expect(page.files.map(\.name).filter { !$0.hasPrefix("tables/") } == ["index.html", "manifest.json"])
    #expect(try Self.text(page).matches(of: /<details class="fold book">/).count == 8)
  }

  @Test func idsAreOfOneElementEach() throws {
    let ids = try Self.text(Self.standard.get()).matches(of: /\sid="([^"]+)"/).map { String($0.output.1) }
    #expect(Set(ids).count == ids.count && !ids.isEmpty)
  }

  /// `experiment.csv` contains the output of the command with `--over-time`, experiment after experiment.
  @Test func theFileOfExperimentsHasAllReadouts() throws {
    let lines = try Self.text(Self.standard.get(), "tables/experiment.csv").split(separator: "\n")
    var wanted = 0
    for name in ["steps_yearly_anchor", "techniq_headline", "coach_gate_timing", "praxisen_limit_copy"] {
      let own = try render(Self.store.get().experiment(name, overTime: true), as: .csv).split(separator: "\n")
        .dropFirst()
      #expect(own.allSatisfy(Set(lines).contains))
      wanted += own.count
    }
    #expect(lines.count == wanted + 1)
  }

  /// A filter by variant leaves experiments nothing to compare.
  @Test func aFilterThatExperimentsDoNotTakeIsSaid() throws {
    let page = try Self.page("--where", "variant=control")
    #expect(try Self.text(page).contains("Not shown: --where is variant, but experiments are split only by"))
    #expect(!page.files.map(\.name).contains("tables/experiment.csv"))
    let ofPlan = try Self.text(Self.page("--where", "plan=monthly"))
    #expect(ofPlan.contains("Not shown: --where is on plan, but exposures to experiments have none"))
    let filtered = try Self.text(Self.page("--where", "country=US"))
    #expect(filtered.contains("card test") && !filtered.contains("Not read out"))
  }

  /// Sums of money are in the requested currency; prices are unchanged.
  @Test func moneyIsInTheCurrencyThatIsAskedFor() throws {
    let store = try TestStore(paths: [Fixtures.package.appendingPathComponent("SampleData/events").path])
    let rates =
      (CivilDate(year: 2025, month: 12, day: 1).daysSince1970..<CivilDate(year: 2026, month: 7, day: 1).daysSince1970)
      .flatMap { day in
        [("EUR", "1.1"), ("GBP", "1.3"), ("JPY", "0.007")].map {
          "\(CivilDate(daysSince1970: day)),\($0.0),\($0.1)"
        }
      }
    _ = try store.store.importRates(
      RateFile.rates((["date,currency,usd_per_unit"] + rates + [""]).joined(separator: "\n"), name: "rates.csv"))
    let options = try ReportOptions(arguments: ["--currency", "USD"])
    let page = ReportPage(try store.store.read { try PageReports($0, options) }, look: ReportPage.Look(version: "1"))
    for name in ["tables/savings.csv", "tables/experiments.csv", "tables/funnel.csv"] {
      #expect(try Self.text(page, name) == Self.text(Self.standard.get(), name), "\(name)")
    }
    for (name, by) in [("revenue", "month"), ("ltv", "variant")] {
      #expect(
        try Self.text(page, "tables/\(name).csv") == store.csv(name, ["--by", by, "--currency", "USD"]), "\(name)")
    }
    for name in ["tables/revenue.csv", "tables/mrr.csv", "tables/ltv.csv"] {
      let text = try Self.text(page, name)
      #expect(text.contains(",USD,") && !text.contains(",EUR,"), "\(name)")
    }
  }

  @Test func aStoreWithoutEventsHasAPage() throws {
    let store = try TestStore(lines: [])
    let page = ReportPage(
      try store.store.read { try PageReports($0, ReportOptions()) }, look: ReportPage.Look(version: "1"))
    let text = try Self.text(page)
    #expect(text.contains("The store has no events yet"))
  }
}
