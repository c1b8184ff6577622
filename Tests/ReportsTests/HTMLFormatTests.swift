import Basics
import Foundation
import Testing

@testable import Metrics
@testable import Reports

struct HTMLFormatTests {
  @Test func wholeReports() throws {
    try expectGolden(render(SampleReports.funnel, as: .html), "funnel.html")
    try expectGolden(render(SampleReports.savings, as: .html), "savings.html")
    try expectGolden(render(SampleReports.hostile, as: .html), "hostile.html")
    try expectGolden(render(SampleReports.empty, as: .html), "empty.html")
  }

  /// Of several apps, each with more than one row has a total below its rows, which is no row.
  @Test func eachAppHasItsTotal() throws {
    var report = SampleReports.twoApps
    report.rows += SampleReports.funnel.rows
    let page = try render(report, as: .html)
    #expect(page.matches(of: /<tr class="sum">/).count == 1)
    #expect(page.contains("6 rows"), "\(page)")
    var options = RenderOptions()
    options.sort = "users"
    #expect(try !render(report, as: .html, options: options).contains("class=\"sum\""))
  }

  /// Names that would open, close or leave an element, attribute, comment, style or reference, or that hide text.
  static let injections = [
    "<script>alert(1)</script>", "</td></table><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)", "--><svg onload=alert(1)>", "</style><script>", "</title><script>alert(1)</script>",
    "]]><b>", "&lt;b&gt;", "&#x3C;b>", "&amp", "javascript:alert(1)", "<\u{0}script>", "<scr\u{200B}ipt>",
    "\u{202E}gnp.exe", "\u{2067}\u{2069}", "\u{1B}]0;title\u{7}", "\r\n\r\n<html>", "\u{2028}<p>", "\u{FEFF}<p>",
    "{{constructor}}", "${7*7}", "<!--", "<?php", "<\u{338}script>",
  ]

  /// Returns the report with the text wherever event files or the command line can put text.
  /// A name that runs to the left would otherwise take the number after it along; names stay as they are written.
  @Test func namesOfEitherDirectionStayInTheirPlace() {
    #expect(
      spoken("9.2% in שלום עולם, 7.7% in b and `ls`.").text
        == "9.2% in <bdi>שלום עולם</bdi>, 7.7% in b and <code>ls</code>.")
    #expect("many_arms/b: no row".sentenceCased == "many_arms/b: no row")
    #expect("counted nowhere".sentenceCased == "Counted nowhere")
  }

  private func report(with text: String) -> Report {
    var report = SampleReports.funnel
    report.title += text
    report.definition.append(text)
    report.parameters.append(Report.Parameter(name: text, value: text))
    report.asOf = [Report.AppInstant(app: text, asOf: 0, notes: [text])]
    report.columns[1] = ReportColumn("property:\(text)", .key)
    report.columns.append(ReportColumn(text, .text))
    for row in report.rows.indices {
      for key in 0..<3 { report.rows[row][key] = .text(text) }
      report.rows[row].append(.text(text))
    }
    return report
  }

  /// A browser sees the tags and attributes that a harmless name of equal length gives.
  @Test(arguments: injections)
  func hostileNamesAddNoMarkup(text: String) throws {
    let harmless = String(repeating: "n", count: displayWidth(visible(text)))
    let plain = try render(report(with: harmless), as: .html)
    let hostile = try render(report(with: text), as: .html)
    #expect(tags(hostile) == tags(plain))
    for scalar in hostile.unicodeScalars { #expect(scalar == "\n" || !scalar.isHidden, "\(scalar.value)") }
    let shown =
      text.unicodeScalars.contains { "<>\"'&".unicodeScalars.contains($0) } ? htmlEscaped(text) : visible(text)
    #expect(hostile.contains(shown))
  }

  /// Without the values of attributes that have names in them.
  private func tags(_ page: String) -> [String] {
    page.matches(of: /<[^>]*>/).map { tag in
      String(tag.output).replacing(/aria-label="[^"]*"/) { _ in "named" }
    }
  }

  @Test(arguments: [
    ("a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;"), ("two\nlines", "two\\nlines"), ("\u{202E}x", "\\u{202E}x"),
    ("<\u{338}b", "&lt;\u{338}b"), ("é🏃‍♀️", "é🏃‍♀️"),
  ])
  func namesStayLiteralText(name: String, escaped: String) {
    #expect(htmlEscaped(name) == escaped)
  }

  @Test func thePageAsksForNothing() throws {
    let page = try render(report(with: "name"), as: .html)
    #expect(!page.contains("<script"))
    #expect(!page.contains("http:") && !page.contains("https:") && !page.contains("@import"))
    // Patterns of the page itself.
    #expect(page.matches(of: /url\(([^)]*)\)/).allSatisfy { $0.output.1.hasPrefix("#k") })
    let sources = page.matches(of: /(?:src|href)="([^"]*)"/).map { String($0.output.1) }
    #expect(sources == ["data:,", "#main"] || sources == ["data:,"])
  }

  /// A policy that names the style by its hash holds for the style that the page has (CSP 3).
  @Test func thePolicyIsOfTheStyle() throws {
    let page = try render(SampleReports.funnel, as: .html)
    #expect(
      page.contains("style-src '\(Design.stylesheetHash)'") && page.contains("<style>\(Design.stylesheet)</style>"))
    #expect(!page.contains(" style="))
  }

  /// Pages have menus for what the command line has options for.
  @Test func pagesNameNoOptions() throws {
    var report = SampleReports.funnel
    report.asOf[0].notes = [
      "no user of these days counts yet; the newest full week that counts starts on 2026-02-16 (--from 2026-02-16 --to 2026-02-23)",
      "the data begin on 2026-01-05, after the first of the days before: `--compare 2026-01-05..2026-01-12` leaves out what is missing",
    ]
    let page = try render(report, as: .html)
    #expect(
      page.contains("week that counts starts on 16 Feb 2026.") && page.contains("after the first of the days before."))
    let notes = page.matches(of: /<p class="note">(.*?)<\/p>/).map { String($0.output.1) }
    #expect(!notes.isEmpty && !notes.contains { $0.contains("--") })
    let table = try render(report, as: .table).replacing("\n", with: " ")
    #expect(table.contains("(--from 2026-02-16 --to 2026-02-23)."))
  }

  @Test func everyCoreNumberIsThere() throws {
    for report in [SampleReports.funnel, SampleReports.savings, SampleReports.cancellations] {
      let page = try render(report, as: .html)
      for column in try SummaryTable(report, RenderOptions()).columns {
        #expect(page.contains(htmlLiteral(column.heading.capitalizedFirst)))
        for cell in column.cells {
          #expect(page.contains(">\(htmlLiteral(cell.text ?? undefinedMark))"), "\(column.name)")
          #expect(cell.bounds.isEmpty || page.contains(cell.bounds))
        }
      }
    }
  }

  @Test func everyRowHasAHeaderAndAllCells() throws {
    let lines = try render(SampleReports.funnel, as: .html).split(separator: "\n")
    let rows = lines.filter { $0.hasPrefix("<tr>") && $0.count > 4 }
    #expect(!rows.isEmpty)
    for row in rows { #expect(row.contains(#"<th scope="row""#)) }
  }

  @Test func theOrderAndTheNumberOfRowsAreAsAsked() throws {
    var options = RenderOptions()
    options.sort = "users:desc"
    options.limit = 1
    let page = try render(SampleReports.funnel, as: .html, options: options)
    let table = page.components(separatedBy: #"id="table-1""#).last ?? ""
    #expect(table.contains("settings_card") && !table.contains("workout_analytics"))
    #expect(page.contains("1 of 4 rows, sorted by users:desc."))
  }

  /// Rows of about equal length: half the bytes leave about half of them, and no limit leaves fewer than ten.
  @Test func aTableIsCutToTheSizeOfItsPage() throws {
    var report = SampleReports.funnel
    report.rows = (0..<100).flatMap { _ in report.rows }
    var look = PageLook(links: .none)
    look.everyRow = "/all"
    let whole = try tableCard(report, look).text
    func rows(_ sizeLimit: Int) throws -> Int {
      look.sizeLimit = sizeLimit
      let card = try tableCard(report, look).text
      #expect(card.contains("<a href=\"/all\">All 400 rows</a>"))
      return card.split(separator: "\n").count { $0.hasPrefix("<tr><th scope=\"row\"") }
    }
    #expect(!whole.contains("/all"))
    #expect(try (180...220).contains(rows(whole.utf8.count / 2)))
    #expect(try rows(0) == 10)
  }

  /// The first of two tables leaves room for the other, which has ten rows in any case.
  @Test func allTablesOfAPageAreWithinItsSize() throws {
    var report = SampleReports.funnel
    report.rows = (0..<100).flatMap { _ in report.rows }
    var look = PageLook(links: .none)
    look.sizeLimit = PageLook.bytesOfLater
    let page = try FinishedReport.tables([report, report]).content(look).text
    let first = page.components(separatedBy: #"id="table-2""#)[0]
    #expect(first.split(separator: "\n").count { $0.hasPrefix("<tr><th scope=\"row\"") } == 10)
  }
}
