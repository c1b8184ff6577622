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
    return ReportPage(try store.get().store.read { try PageReports($0, options) }, version: "1")
  }

  private static let standard = Result { try page() }

  private static func text(_ page: ReportPage, _ name: String = "index.html") throws -> String {
    try #require(page.files.first { $0.name == name }).text
  }

  @Test func theSameStoreGivesTheSameBytes() throws {
    #expect(try Self.page().files == Self.standard.get().files)
  }

  @Test func itOpensWithWhatChangedAndTheExperiments() throws {
    let page = try Self.standard.get()
    #expect(
      page.files.map(\.name) == [
        "changes.csv", "experiments.csv", "experiment.csv", "funnel.csv", "trials.csv", "savings.csv",
        "cancellations.csv", "revenue.csv", "mrr.csv", "subscriptions.csv", "retention.csv", "retention_cohorts.csv",
        "ltv.csv", "index.html", "manifest.json",
      ])
    let text = try Self.text(page)
    let sections = text.matches(of: /<section id="([a-z_]+)"/).map { String($0.output.1) }
    #expect(sections.prefix(3) == ["changes", "experiments", "funnel"])
    for name in sections { #expect(text.contains(##"<a href="#\##(name)">"##), "\(name)") }
    let changes = try #require(text.range(of: #"<section id="changes""#))
    let experiments = try #require(text.range(of: #"<section id="experiments""#))
    let rows = text[changes.lowerBound..<experiments.lowerBound].matches(of: /<tr( class="first")?><th scope="row"/)
    #expect(rows.count == 5)
  }

  /// Every experiment's state in words, its differences and its effect over time.
  @Test func everyExperimentHasItsStateAndPictures() throws {
    let text = try Self.text(Self.standard.get())
    for (name, state) in [
      ("steps_yearly_anchor", "ship anchor"), ("techniq_headline", "do not ship free_week"),
      ("coach_gate_timing", "do not ship day_five"), ("praxisen_limit_copy", "undecided"),
    ] {
      #expect(text.contains("<bdi>\(name)</bdi></th>") && text.contains("<bdi>\(state)</bdi></td>"), "\(name)")
    }
    #expect(text.matches(of: /<article aria/).count == 4)
    #expect(text.matches(of: /<figcaption><bdi>Difference in shares, percentage points:/).count == 4)
    #expect(text.matches(of: /the difference by day of data, with its always-valid band/).count >= 4)
    #expect(text.matches(of: /<figcaption><bdi>Share that made each payment:/).count >= 4)
  }

  @Test func idsAreOfOneElementEach() throws {
    let ids = try Self.text(Self.standard.get()).matches(of: /\sid="([^"]+)"/).map { String($0.output.1) }
    #expect(Set(ids).count == ids.count)
    #expect(ids.count > 50)
  }

  /// `experiment.csv` contains the output of the command with `--over-time`, experiment after experiment.
  @Test func theFileOfExperimentsHasAllReadouts() throws {
    let lines = try Self.text(Self.standard.get(), "experiment.csv").split(separator: "\n")
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
    #expect(try Self.text(page).contains("<p>Not read out: --where is variant, but experiments are split only by"))
    #expect(!page.files.map(\.name).contains("experiment.csv"))
    let filtered = try Self.text(Self.page("--where", "country=US"))
    #expect(filtered.contains("<article ") && !filtered.contains("Not read out"))
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
    let page = ReportPage(try store.store.read { try PageReports($0, options) }, version: "1")
    for name in ["savings.csv", "experiments.csv", "funnel.csv"] {
      #expect(try Self.text(page, name) == Self.text(Self.standard.get(), name), "\(name)")
    }
    for (name, by) in [("revenue", "month"), ("ltv", "variant")] {
      #expect(try Self.text(page, "\(name).csv") == store.csv(name, ["--by", by, "--currency", "USD"]), "\(name)")
    }
    for name in ["revenue.csv", "mrr.csv", "ltv.csv"] {
      let text = try Self.text(page, name)
      #expect(text.contains(",USD,") && !text.contains(",EUR,"), "\(name)")
    }
  }

  @Test func aStoreWithoutEventsHasAPage() throws {
    let store = try TestStore(lines: [])
    let page = ReportPage(try store.store.read { try PageReports($0, ReportOptions()) }, version: "1")
    let text = try Self.text(page)
    #expect(text.contains("Nothing to compare yet") && text.contains("No user was exposed to an experiment."))
  }
}
