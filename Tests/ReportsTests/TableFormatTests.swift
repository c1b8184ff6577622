import Testing

@testable import Metrics
@testable import Reports

struct TableFormatTests {
  private func table(_ report: Report, width: Int = 80, _ change: (inout RenderOptions) -> Void = { _ in }) throws
    -> String
  {
    var options = RenderOptions()
    options.width = width
    change(&options)
    return try render(report, as: .table, options: options)
  }

  @Test(arguments: [40, 80, 200])
  func wholeReports(width: Int) throws {
    try expectGolden(table(SampleReports.funnel, width: width), "funnel.\(width).txt")
    try expectGolden(table(SampleReports.savings, width: width), "savings.\(width).txt")
  }

  @Test func theWidestReportFoldsIntoBlocks() throws {
    try expectGolden(table(SampleReports.cancellations), "cancellations.80.txt")
  }

  @Test func severalAppsAreAColumn() throws {
    try expectGolden(table(SampleReports.twoApps), "two-apps.80.txt")
  }

  @Test func hostileNamesMoveNothing() throws {
    let text = try table(SampleReports.hostile)
    try expectGolden(text, "hostile.80.txt")
    for scalar in text.unicodeScalars { #expect(scalar == "\n" || !scalar.isHidden, "\(scalar.value)") }
  }

  /// The interval comes first and the point in brackets (D6.9); alone if the other is missing or has no width.
  @Test func estimatesLeadWithTheirInterval() {
    func cell(_ point: Double?, _ low: Double?, _ high: Double?) -> [String?] {
      let report = Report(
        name: "value", title: "", definition: [], parameters: [], asOf: [],
        columns: [
          ReportColumn("value_12", .money), ReportColumn("value_12_low", .low), ReportColumn("value_12_high", .high),
        ], rows: [[point, low, high].map { .estimate($0, currency: "USD") }])
      let cell = ReadableTable(report).groups[0][0].cells[0]
      return [cell.text, cell.interval]
    }
    #expect(cell(2_910_000, 2_240_000, 3_530_000) == ["2.24–3.53", "(2.91)"])
    #expect(cell(nil, 2_240_000, 3_530_000) == ["2.24–3.53", ""])
    #expect(cell(-1_920_000, -2_710_000, -1_150_000) == ["-2.71 to -1.15", "(-1.92)"])
    #expect(cell(50_000_000, 50_000_000, 50_000_000) == ["50.00", ""])
    #expect(cell(2_910_000, nil, nil) == ["2.91", ""])
    #expect(cell(nil, nil, nil) == [nil, ""])
  }

  @Test func picturesFollowTheTable() throws {
    try expectGolden(table(SampleReports.funnel) { $0.isPlotted = true }, "funnel.plot.txt")
    try expectGolden(table(SampleReports.savings) { $0.isPlotted = true }, "savings.plot.txt")
  }

  @Test func coloursAreEmphasisOnly() throws {
    let coloured = try table(SampleReports.funnel) {
      $0.isColored = true
      $0.isPlotted = true
    }
    try expectGolden(coloured, "funnel.color.txt")
    #expect(try coloured.replacing(/\x{1B}\[[0-9]m/, with: "") == table(SampleReports.funnel) { $0.isPlotted = true })
  }

  @Test func withoutRowsTheTableSaysSo() throws {
    let text = try table(SampleReports.empty)
    try expectGolden(text, "empty.80.txt")
    #expect(text.hasSuffix("\n\nNo rows: nothing in the store matches these options.\n"))
  }

  @Test(arguments: [60, 72, 80, 100, 132, 400])
  func noLineIsWiderThanTheTerminalNorEndsInBlanks(width: Int) throws {
    for report in [SampleReports.funnel, SampleReports.twoApps, SampleReports.savings, SampleReports.hostile] {
      for line in try table(report, width: width, { $0.isPlotted = true }).split(separator: "\n") {
        #expect(displayWidth(String(line)) <= width, "\(line)")
        #expect(!line.hasSuffix(" "), "\(line)")
      }
    }
  }

  /// Every number of the report is readable at any width.
  @Test(arguments: [20, 33, 47, 60, 80, 120])
  func numbersAreNeverCut(width: Int) throws {
    for report in [SampleReports.funnel, SampleReports.savings, SampleReports.hostile] {
      let words = try Set(table(report, width: width).split(whereSeparator: \.isWhitespace).map(String.init))
      for column in ReadableTable(report).groups.joined() where !column.isLeftAligned {
        for cell in column.cells {
          #expect(words.contains(cell.text ?? undefinedMark))
          #expect(cell.interval.isEmpty || words.contains(cell.interval))
        }
      }
    }
  }

  @Test func aRateStandsWithItsNumerator() {
    let groups = ReadableTable(SampleReports.funnel).groups.map { $0.map(\.name) }
    #expect(
      groups == [
        ["users", "trial_users", "trial_rate"], ["trial_paid_users", "trial_to_paid_rate"],
        ["direct_paid_users", "direct_rate"], ["paid_users", "paid_rate"], ["paid_later_users"], ["immature"],
      ])
  }

  @Test func smallSharesHaveMoreDecimals() {
    #expect(percentDecimals([0.5, 0.0001]) == 1)
    #expect(percentDecimals([0.009, 0]) == 2)
    #expect(percentDecimals([0.0009]) == 3)
    #expect(percentDecimals([]) == 1)
    #expect(percentDecimals([-0.25]) == 1)
  }

  /// Widths by xterm and Python's wcwidth.
  @Test(arguments: [
    ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("ｱ", 1), ("Ａ", 2), ("🏃‍♀️", 2), ("🇩🇪", 2), ("👨‍👩‍👧‍👦", 2), ("한국", 4),
    ("–", 1), ("❤️", 2), ("✓", 1), ("1️⃣", 2), ("\u{301}", 0),
  ])
  func textsFillTheirColumns(text: String, width: Int) {
    #expect(displayWidth(text) == width)
  }

  @Test func linesBreakAtSpacesButNotBeforeAUnit() {
    #expect(wrapped("with its 95 % interval", to: 11) == ["with its", "95 %", "interval"])
    #expect(wrapped("horizon 17 d", to: 10) == ["horizon", "17 d"])
    #expect(wrapped("unbreakable word", to: 4) == ["unbreakable", "word"])
  }

  @Test func truncationCountsColumns() {
    #expect(truncated("日本語", to: 6) == "日本語")
    #expect(truncated("日本語", to: 5) == "日本…")
    #expect(truncated("日本語", to: 4) == "日…")
    #expect(truncated("abcdef", to: 4) == "abc…")
  }
}
