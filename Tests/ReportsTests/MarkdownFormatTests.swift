import Testing

@testable import Metrics
@testable import Reports

struct MarkdownFormatTests {
  @Test func wholeReports() throws {
    try expectGolden(render(SampleReports.funnel, as: .markdown), "funnel.md")
    try expectGolden(render(SampleReports.savings, as: .markdown), "savings.md")
    try expectGolden(render(SampleReports.hostile, as: .markdown), "hostile.md")
    try expectGolden(render(SampleReports.empty, as: .markdown), "empty.md")
  }

  @Test func everyLineOfATableHasTheSameCells() throws {
    let lines = try render(SampleReports.hostile, as: .markdown).split(separator: "\n").filter { $0.hasPrefix("|") }
    #expect(lines.count == SampleReports.hostile.rows.count + 3)
    for line in lines {
      // A backslash excludes the following character from the count, as in GitHub's scanner.
      let separators = line.replacing(/\\./, with: "").count { $0 == "|" }
      #expect(separators == lines[0].count { $0 == "|" }, "\(line)")
    }
  }

  @Test(arguments: [
    ("a|b", "a\\|b"), ("a\\|b", "a\\\\\\|b"), ("two\nlines", "two<br>lines"), ("two\r\nlines", "two<br>lines"),
    ("snake_case", "snake_case"), ("_leading", "\\_leading"), ("trailing_", "trailing\\_"),
    ("<b>&amp;", "\\<b\\>\\&amp;"), ("\u{1B}[2J", "\\\\u{001B}\\[2J"),
  ])
  func namesStayLiteralText(name: String, escaped: String) {
    #expect(markdownEscaped(name) == escaped)
  }

  @Test func namesInTheSentenceOfAnEmptyTableStayLiteralText() throws {
    var report = SampleReports.empty
    report.emptyNote = "All 3 lines of <b>\u{1B}[2J were rejected."
    let text = try render(report, as: .markdown)
    #expect(text.contains("- All 3 lines of \\<b\\>\\\\u{001B}\\[2J were rejected.\n"), "\(text)")
  }
}
