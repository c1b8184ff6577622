import EventModel
import Testing

@testable import Metrics
@testable import Reports

struct ReportComparisonTests {
  private func day(_ text: String) throws -> Int { try #require(CivilDate(text)).daysSince1970 }

  private func comparison(_ first: String, _ end: String, _ before: String, _ beforeEnd: String) throws
    -> ReportComparison
  {
    ReportComparison(days: try day(first)..<day(end), before: try day(before)..<day(beforeEnd))
  }

  /// A period stands beside the one that is as far into the days before; months only where both begin with one.
  @Test func periodsOfTheDaysBefore() throws {
    let weeks = try comparison("2026-02-16", "2026-03-16", "2026-01-19", "2026-02-16")
    #expect(weeks.shift == 28)
    #expect(weeks.label(before: "2026-03-02", of: "week") == "2026-02-02")
    #expect(weeks.label(before: "2026-03-02", of: "day") == "2026-02-02")
    #expect(weeks.label(before: "2026-03", of: "month") == nil)
    #expect(weeks.label(before: "anchor", of: "variant") == "anchor")
    let months = try comparison("2026-03-01", "2026-03-16", "2026-02-01", "2026-02-16")
    #expect(months.label(before: "2026-03", of: "month") == "2026-02")
    // 28 days are four weeks, 15 are not.
    #expect(
      try comparison("2026-03-01", "2026-03-16", "2026-02-14", "2026-03-01").label(before: "2026-03-02", of: "week")
        == nil)
  }

  /// Each variant keeps its colour wherever it is shown; control is grey, and what has no variant the last colour.
  @Test func coloursFollowTheFirstExposure() {
    let order = ["b", "control", "a"]
    #expect(chartColors(["control", "b", "a", "(unattributed)"], order: order) == [0, 1, 2, 6])
    #expect(chartColors(["a"], order: order) == [2])
    #expect(chartColors(["never exposed", "a"], order: order) == [3, 2])
    // The sixth variant of an app would have the first one's colour, which is taken where both are shown.
    let six = ["a", "b", "c", "d", "e", "f"]
    #expect(chartColors(["f"], order: six) == [1])
    #expect(chartColors(["a", "f"], order: six) == [1, 2])
  }

  /// A version begins with the first day on which a twentieth of the viewers have it; the first ones have no beginning.
  @Test func marksOfVersionsAndTests() throws {
    func row(_ version: String, _ day: String, _ users: Int) -> [ReportValue] {
      [.text("a"), .text(version), .text(day), .count(users), .count(0)]
    }
    let versions = Report(
      name: "funnel", title: "", definition: [], parameters: [], asOf: [],
      columns: ["app", "app_version", "day"].map { ReportColumn($0, .key) }
        + ["users", "immature"].map { ReportColumn($0, .count) },
      rows: [
        row("1.0", "2026-01-05", 100), row("1.0", "2026-01-06", 97), row("1.1", "2026-01-06", 3),
        row("1.0", "2026-01-07", 50), row("1.1", "2026-01-07", 50),
      ])
    let first = Int64(try day("2026-01-05")) * 86_400_000
    let experiments = Report(
      name: "experiments", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: first + 70 * 86_400_000, notes: [], firstDay: first)],
      columns: ["app", "experiment"].map { ReportColumn($0, .key) }
        + ["first_exposure", "last_exposure"].map { ReportColumn($0, .text) },
      rows: [[.text("a"), .text("headline"), .text("2026-01-10T08:00:00.000Z"), .text("2026-02-01T08:00:00.000Z")]])
    let marks = TimeMark.all(versions: versions, experiments: experiments)
    #expect(marks.map(\.text) == ["1.1", "headline starts", "headline ends"])
    #expect(try marks.map(\.day) == [day("2026-01-07"), day("2026-01-10"), day("2026-02-01")])
  }

  /// A pair is told as a variant against control, whichever name comes first: the columns are of the second less the first.
  @Test func pairsAreAgainstControl() throws {
    let report = Report(
      name: "value_pairs", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: [
        ReportColumn("app", .key), ReportColumn("currency", .key), ReportColumn("variant_a", .key),
        ReportColumn("variant_b", .key), ReportColumn("difference_1", .money), ReportColumn("difference_1_low", .low),
        ReportColumn("difference_1_high", .high),
      ],
      rows: [("anchor", "control", -1.0, -3.0, 1.0), ("control", "late", 2.0, 1.0, 4.0)].map { pair in
        [.text("a"), .text("USD"), .text(pair.0), .text(pair.1)]
          + [pair.2, pair.3, pair.4].map { .estimate($0 * 1e6, currency: "USD") }
      })
    let shown = report.preparedForReading(RenderOptions()).report.rows
    #expect(shown[0].prefix(4).compactMap(\.textValue) == ["a", "USD", "anchor", "control"])
    #expect(shown[0].suffix(3) == [1.0, -1.0, 3.0].map { .estimate($0 * 1e6, currency: "USD") })
    #expect(shown[1].prefix(4).compactMap(\.textValue) == ["a", "USD", "late", "control"])
    #expect(shown[1].suffix(3) == [2.0, 1.0, 4.0].map { .estimate($0 * 1e6, currency: "USD") })
  }

  /// A row of dashes says nothing, and its leader was never looked for: a sentence stands for all of them.
  @Test func pairsWithoutADifferenceAreASentence() throws {
    func report(_ pairs: [(name: String, difference: Double?)]) -> Report {
      Report(
        name: "value_pairs", title: "", definition: [], parameters: [],
        asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
        columns: ["app", "currency", "variant_a", "variant_b"].map { ReportColumn($0, .key) }
          + [
            ReportColumn("difference_1", .money), ReportColumn("difference_1_low", .low),
            ReportColumn("difference_1_high", .high),
          ],
        rows: pairs.map { pair in
          [.text("a"), .text(pair.difference == nil ? "(none)" : "USD"), .text("control"), .text(pair.name)]
            + [0, -1.0, 1].map { bound in .estimate(pair.difference.map { ($0 + bound) * 1e6 }, currency: "USD") }
        })
    }
    let table = try SummaryTable(report([("b", 2), ("c", nil), ("d", nil)]), RenderOptions())
    #expect(table.rowCount == 1 && table.columns.first { $0.name == "currency" } == nil)
    let sentence = "is not known yet: both variants need 5 buyers."
    #expect(table.notes.map(\.text).contains("The difference of 2 more pairs \(sentence)"))
    let none = try SummaryTable(report([("b", nil)]), RenderOptions())
    #expect(none.rowCount == 0 && none.notes.map(\.text) == ["The difference of any variants \(sentence)"])
  }

  /// Pairs against control come first; a difference has its sign, and a pair without a leader says when.
  @Test func pairsAgainstControlComeFirst() throws {
    let pairs: [(a: String, b: String, difference: Double, ahead: String)] = [
      ("anchor", "control", -1, ""), ("anchor", "late", 0, ""), ("control", "late", 2, "late"),
    ]
    let report = Report(
      name: "value_pairs", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: ["app", "currency", "variant_a", "variant_b"].map { ReportColumn($0, .key) }
        + [
          ReportColumn("difference_1", .money), ReportColumn("difference_1_low", .low),
          ReportColumn("difference_1_high", .high), ReportColumn("ahead_last", .text),
          ReportColumn("last_month", .count),
        ],
      rows: pairs.map { pair -> [ReportValue] in
        let bounds: [ReportValue] = [0.0, -3, 4].map { .estimate((pair.difference + $0) * 1e6, currency: "USD") }
        return [.text("a"), .text("USD"), .text(pair.a), .text(pair.b)] + bounds + [.text(pair.ahead), .count(24)]
      })
    let shown = report.preparedForReading(RenderOptions()).report.rows
    let names = shown.map { row in row[2...3].compactMap(\.textValue).joined(separator: " against ") }
    #expect(names == ["anchor against control", "late against control", "late against anchor"])
    let table = try SummaryTable(report, RenderOptions())
    let column = try #require(table.columns.first { $0.name == "difference_1" })
    #expect(column.cells.map(\.text) == ["+1.00", "+2.00", "0.00"])
    #expect(column.cells[1].bounds == "−1.00 to +6.00")
    #expect(
      table.columns.last?.cells.map(\.text) == ["not known at month 24", "late at month 24", "not known at month 24"])
  }
}

/// The rows of a comparison as a message tells them.
struct ComparedWordsTests {
  private func words(_ currencies: [String]) -> [ComparedWords] {
    let estimate = { (name: String) in
      [ReportColumn(name, .number), ReportColumn("\(name)_low", .low), ReportColumn("\(name)_high", .high)]
    }
    return Report(
      name: "compare", title: "Revenue compared", definition: [],
      parameters: [.init(name: "report", value: "revenue"), .init(name: "compare", value: "previous")], asOf: [],
      columns: ["app", "currency", "column"].map { ReportColumn($0, .key) }
        + ["before", "now"].map { ReportColumn($0, .number) } + estimate("change") + [ReportColumn("word", .text)],
      rows: currencies.map { currency in
        [
          .text("steps"), .text(currency), .text("payments"), .count(40), .count(50), .count(10), .count(-9),
          .count(29),
          .text("chance"),
        ]
      }
    ).comparedWords
  }

  /// Two counts of payments differ by what was paid in, which is no unit of theirs.
  @Test func aCountInSeveralCurrenciesNamesEach() {
    #expect(words(["EUR", "USD"]).map(\.paidIn) == ["EUR", "USD"])
    #expect(words(["EUR", "USD"]).map(\.currency) == [nil, nil])
    #expect(words(["USD"]).map(\.paidIn) == [nil])
    #expect(words(["USD"]).map(\.change) == ["+10 (−9 to +29)"])
  }
}
