import Metrics
import Testing

@testable import Reports

struct AmountPlotTests {
  /// Derived by hand: with eight marks from 0 to 8, 0 is the first, 8 the last, and 4 rounds up to the fifth.
  @Test func marksAreProportional() {
    #expect(sparkline([0, 4, 8]) == "▁▅█")
    #expect(sparkline([1, nil, 1]) == "█ █")
    #expect(sparkline([0, 0]) == "▁▁")
    #expect(sparkline([-3, 8]) == "▁█")
    #expect(sparkline([]) == "")
  }

  private func revenue(by keys: [String], _ rows: [[String]]) -> Report {
    Report(
      name: "revenue", title: "Revenue", definition: [], parameters: [], asOf: [],
      columns: (["app"] + keys + ["currency"]).map { ReportColumn($0, .key) } + [ReportColumn("revenue", .money)],
      rows: rows.map { row in
        row.dropLast().map { .text($0) }
          + [.money(Int128(row[row.count - 1]).map { $0 * 1_000_000 }, currency: row[row.count - 2])]
      })
  }

  private func plot(_ report: Report, width: Int = 60) -> [[String]] {
    amountPlots(report, width: width, TerminalStyle(isColored: false))
  }

  @Test func periodsMakeALineEach() {
    let report = revenue(
      by: ["month"],
      [
        ["steps", "2026-01", "EUR", "100"], ["steps", "2026-01", "USD", "50"], ["steps", "2026-02", "USD", "400"],
        ["steps", "2026-03", "EUR", "50"], ["steps", "2026-03", "USD", "200"],
      ])
    #expect(
      plot(report) == [
        [
          "revenue by month, 2026-01 to 2026-03", "steps  EUR  █ ▅  100.00 → 50.00",
          "steps  USD  ▂█▅  50.00 → 200.00",
        ]
      ])
  }

  /// Each currency has a separate axis, on which its largest amount fills the width.
  @Test func otherRowsAreBars() {
    let report = revenue(
      by: ["variant"],
      [
        ["a", "new", "USD", "10"], ["a", "old", "JPY", "1000"], ["a", "old", "USD", "5"], ["a", "x\u{1B}", "USD", "0"],
      ])
    let lines = plot(report, width: 40)
    #expect(lines.map(\.first) == ["revenue, USD", "revenue, JPY"])
    let (new, old) = (lines[0][1], lines[0][2])
    #expect(new.hasPrefix("a  new  █") && new.hasSuffix("█  10.00") && new.count == 40)
    #expect(
      old.count { $0 == "█" } * 2 == new.count { $0 == "█" }
        || old.count { $0 == "█" } * 2 - 1 == new.count { $0 == "█" })
    #expect(lines[0].count == 3)
  }

  @Test func hostileNamesMoveNothing() {
    let report = revenue(by: ["variant"], [["\u{1B}[31m", "\u{202E}x", "USD", "10"]])
    #expect(plot(report).joined().allSatisfy { !$0.unicodeScalars.contains { $0.isHidden } })
  }
}
