public import Metrics

/// The files of one folder: a page of reports, each table as CSV, and a manifest of what they were made from.
///
/// The same bytes for the same reports, on every machine.
public struct ReportPage: Sendable {
  public struct File: Sendable, Hashable {
    /// Without a folder, such as `funnel.csv`.
    public var name: String
    public var text: String
  }

  /// The tables, then the page that links to them, then the manifest that vouches for all.
  public let files: [File]

  /// Rows of a table that the page shows at most, so that it stays quick to open; its CSV has all.
  static let mostRows = 100
  /// Pictures of a report; the dashboard has all.
  private static let mostPictures = 12

  /// - Parameters:
  ///   - reports: Of one store content and of the same apps, in the page's order; names differ.
  ///   - version: The program's.
  ///   - isSpreadsheetSafe: Whether CSV cells are kept from being run as formulas.
  public init(_ reports: [Report], version: String, isSpreadsheetSafe: Bool = false) {
    self.init(reports, opening: [], version: version, isSpreadsheetSafe: isSpreadsheetSafe)
  }

  /// The whole page: what changed, the experiments, then each report.
  public init(_ page: PageReports, version: String, isSpreadsheetSafe: Bool = false) {
    let values = experimentRows(page.readouts)
    let experiments = PageExperiments(list: page.experiments, readouts: page.readouts, note: page.experimentsNote)
    self.init(
      page.reports,
      opening: [
        Section(
          id: "changes", title: page.changes.title, lines: PageChanges(report: page.changes).lines,
          tables: [page.changes]),
        Section(
          id: "experiments", title: "Experiments", lines: experiments.lines,
          tables: [page.experiments] + [values].compactMap(\.self)),
      ], version: version, isSpreadsheetSafe: isSpreadsheetSafe)
  }

  /// What stands above the reports.
  private struct Section {
    var id: String
    var title: String
    /// Below its heading.
    var lines: [String]
    /// What it was made of; each a file.
    var tables: [Report]
  }

  private init(_ reports: [Report], opening: [Section], version: String, isSpreadsheetSafe: Bool) {
    let shared = Self.sharedParameters(reports)
    let all = opening.flatMap(\.tables) + reports
    let tables = all.map { report in
      File(name: Self.csvName(report), text: csvText(report, isSpreadsheetSafe: isSpreadsheetSafe))
    }
    let page = File(
      name: "index.html", text: Self.pageText(reports, opening: opening, shared: shared, version: version))
    let manifest = manifestText(
      all, shared: shared, files: tables + [page], version: version, isSpreadsheetSafe: isSpreadsheetSafe)
    files = tables + [page, File(name: ManifestFiles.name, text: manifest)]
  }

  static func csvName(_ report: Report) -> String { "\(report.name).csv" }

  /// The parameters that all reports have in common; what rows are split by is each report's own.
  static func sharedParameters(_ reports: [Report]) -> [Report.Parameter] {
    guard let first = reports.first else { return [] }
    return first.parameters.filter { parameter in
      parameter.name != "by"
        && reports.allSatisfy { report in
          report.parameters.contains { $0.name == parameter.name && $0.value == parameter.value }
        }
    }
  }

  /// The apps with the notes that any report has on them.
  private static func apps(_ reports: [Report]) -> [Report.AppInstant] {
    (reports.first?.asOf ?? []).map { app in
      var app = app
      app.notes = reports.flatMap { report in
        report.asOf.filter { $0.app == app.app }.flatMap(\.notes).map { "\(report.name) \($0)" }
      }
      return app
    }
  }

  private static func pageText(
    _ reports: [Report], opening: [Section], shared: [Report.Parameter], version: String
  ) -> String {
    let apps = apps(reports)
    let names = apps.map(\.app)
    let title = "Subscription report" + (names.isEmpty ? "" : ": \(names.joined(separator: ", "))")
    let heading = names.map { "<bdi>\(htmlEscaped($0))</bdi>" }.joined(separator: ", ")
    var body = ["<header>", "<h1>Subscription report\(names.isEmpty ? "" : ": \(heading)")</h1>"]
    body += htmlFacts(ReadableHeader.apps(apps, asked: shared) + ReadableHeader.options(shared))
    body += [#"<nav aria-label="Reports">"#, "<ul>"]
    for section in opening {
      body.append(##"<li><a href="#\##(section.id)">\##(htmlEscaped(section.title))</a></li>"##)
    }
    for report in reports {
      body.append(##"<li><a href="#\##(htmlEscaped(report.name))">\##(htmlEscaped(report.title))</a></li>"##)
    }
    body += ["</ul>", "</nav>", "</header>", "<main>"]
    for section in opening { body += sectionLines(section) }
    // Before the first tables that it is of.
    body += htmlLegend(reports.flatMap(\.columns))
    for report in reports { body += sectionLines(report, shared: shared) }
    body += ["</main>", "<footer>"]
    body.append(
      #"Made by tollgate \#(htmlEscaped(version)). Files, hashes and parameters: <a href="manifest.json">manifest.json</a>"#
    )
    return htmlDocument(title: title, body: body + ["</footer>"])
  }

  private static func sectionLines(_ section: Section) -> [String] {
    let links = section.tables.map { #"<a href="\#(htmlEscaped(csvName($0)))">\#(htmlEscaped(csvName($0)))</a>"# }
    return [
      #"<section id="\#(section.id)" aria-labelledby="\#(section.id)-title">"#,
      #"<h2 id="\#(section.id)-title">\#(htmlEscaped(section.title))</h2>"#,
    ] + section.lines + ["<p>All rows and columns: \(links.joined(separator: ", "))</p>", "</section>"]
  }

  private static func sectionLines(_ report: Report, shared: [Report.Parameter]) -> [String] {
    let name = htmlEscaped(report.name)
    let own = report.parameters.filter { parameter in !shared.contains { $0.name == parameter.name } }
    var shown = report
    shown.rows = Array(report.rows.prefix(mostRows))
    let file = htmlEscaped(csvName(report))
    let link = #"<a href="\#(file)">\#(file)</a>"#
    return [
      #"<section id="\#(name)" aria-labelledby="\#(name)-title">"#,
      #"<h2 id="\#(name)-title">\#(htmlEscaped(report.title))</h2>"#,
    ]
      + htmlFigures(Array(charts(of: report).prefix(mostPictures)), id: report.name)
      + htmlBody(
        shown, facts: ReadableHeader.options(own), definition: report.definition, rowCount: report.rows.count, sort: nil
      )
      + ["<p>All rows and columns: \(link)</p>", "</section>"]
  }
}
