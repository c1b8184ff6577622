internal import Crypto
internal import Foundation
public import Metrics

/// The files of one folder: a home page, a page for each app and experiment, a memo of each experiment, each table as CSV, the
/// stylesheet, and a manifest of what they were made from.
///
/// Equal reports give equal bytes on every machine.
public struct ReportPage: Sendable {
  public struct File: Sendable, Hashable {
    /// Such as `index.html` or `tables/funnel.csv`.
    public var name: String
    public var text: String
  }

  /// The settings of the folder.
  public struct Look: Sendable {
    /// The program's version.
    public var version: String
    /// Whether CSV cells are kept from being run as formulas.
    public var isSpreadsheetSafe = false
    /// Whether one page has everything, folded.
    public var isSingleFile = false
    /// Notes on dates, drawn on axes of time.
    public var notes: [DayNote] = []

    public init(version: String) { self.version = version }
  }

  static let tableFolder = "tables"

  /// The tables, then the pages that link to them, then the manifest that vouches for all.
  public let files: [File]

  public init(_ page: PageReports, look: Look) {
    let values = experimentRows(page.home.standing.readouts)
    let tables =
      [page.home.standing.changes, page.home.standing.experiments] + [values].compactMap(\.self) + page.reports
    self.init(pages: ReportPages(page, tables: tables, look: look).files, tables: tables, look: look)
  }

  /// - Parameters:
  ///   - pages: Readouts and other content without a table.
  ///   - tables: Of one store content and of the same apps; names differ.
  init(pages: [File], tables: [Report], look: Look) {
    let files =
      tables.map { report in
        File(name: Self.csvName(report), text: csvText(report, isSpreadsheetSafe: look.isSpreadsheetSafe))
      } + pages
    let manifest = manifestText(
      tables, shared: Self.sharedParameters(tables), files: files, version: look.version,
      isSpreadsheetSafe: look.isSpreadsheetSafe)
    self.files = files + [File(name: ManifestFiles.name, text: manifest)]
  }

  static func csvName(_ report: Report) -> String { "\(tableFolder)/\(report.name).csv" }

  /// The parameters that all reports have in common; what rows are split by is each report's own.
  static func sharedParameters(_ reports: [Report]) -> [Report.Parameter] {
    guard let first = reports.first else { return [] }
    return first.parameters.filter { parameter in
      parameter.name != "by" && reports.allSatisfy { $0.parameters.contains(parameter) }
    }
  }
}

struct ReportPages {
  private let page: PageReports
  private let tables: [Report]
  private let look: ReportPage.Look
  private let apps: [String]
  private let experiments: [String]

  /// The most apps that have pages of their own; tables have every app.
  private static let mostApps = 100

  init(_ page: PageReports, tables: [Report], look: ReportPage.Look) {
    (self.page, self.tables, self.look) = (page, tables, look)
    apps = page.home.overview.apps.prefix(Self.mostApps).compactMap(\.app)
    experiments = page.home.standing.readouts.map(\.experiment)
  }

  var files: [ReportPage.File] {
    if look.isSingleFile { return [ReportPage.File(name: "index.html", text: single)] }
    var files = [
      ReportPage.File(
        name: "index.html", text: document("Overview", current: "index.html", head: homeHead, home.markup))
    ]
    for app in apps {
      let name = Self.name("app", app, among: apps)
      files.append(
        ReportPage.File(
          name: name,
          text: document(
            app, current: name, head: head(app, subtitle: "Key numbers: \(homeHead.subtitle)"),
            AppPage(app: app, page: page, links: links, marks: home.marks).markup)))
    }
    for report in page.home.standing.readouts {
      let name = Self.name("experiment", report.experiment, among: experiments)
      var shown = PageLook(links: links)
      shown.marks = home.marks
      let content = (try? FinishedReport.readout(report).content(shown)) ?? ""
      var top = head(
        report.experiment,
        subtitle: report.readouts.count == 1
          ? ExperimentPage(report.readouts[0], of: report, links: links).subtitle : "")
      let memo = Self.name("memo", report.experiment, among: experiments)
      top.controls = ["<a class=\"btn\" href=\"\(memo)\">Decision memo</a>"]
      files.append(
        ReportPage.File(name: name, text: document(report.experiment, current: name, head: top, content)))
      files.append(
        ReportPage.File(
          name: memo,
          text: memoHTML(
            report,
            Memo(
              format: .html, version: look.version, command: "tollgate experiment \(report.experiment) --memo html"),
            style: .beside, links: links)))
    }
    return files + [ReportPage.File(name: Design.stylesheetName, text: Design.stylesheet)]
  }

  private var home: HomePage { HomePage(page.home, links: look.isSingleFile ? .none : links, notes: look.notes) }

  private var homeHead: PageHead { PageHead("Overview", subtitle: home.subtitle) }

  private func head(_ title: String, subtitle: String) -> PageHead {
    var head = PageHead(title, subtitle: subtitle)
    head.crumbs = [("Overview", "index.html")]
    return head
  }

  private var links: PageLinks {
    let (apps, experiments) = (apps, experiments)
    return PageLinks(
      report: { name, parameters in
        let app = parameters.first { $0.name == "app" }?.value ?? (apps.count == 1 ? apps[0] : nil)
        return app.flatMap { apps.contains($0) ? "\(Self.name("app", $0, among: apps))#\(name)" : nil }
      },
      experiment: { _, name in Self.name("experiment", name, among: experiments) },
      memo: { _, name in Self.name("memo", name, among: experiments) },
      app: { apps.contains($0) ? Self.name("app", $0, among: apps) : nil })
  }

  private func document(_ title: String, current: String, head: PageHead, _ content: Markup) -> String {
    var frame = PageFrame(title: title, style: .beside, home: "index.html")
    func link(_ title: String, _ name: String) -> PageFrame.Link {
      PageFrame.Link(title, name, isCurrent: name == current)
    }
    frame.groups = [
      PageFrame.Group("", [link("Overview", "index.html")]),
      PageFrame.Group("Apps", apps.map { link($0, Self.name("app", $0, among: apps)) }),
      PageFrame.Group(
        "Experiments", experiments.map { link($0, Self.name("experiment", $0, among: experiments)) }),
      PageFrame.Group(
        "Tables",
        tables.map {
          PageFrame.Link(ReportKind.named($0.name)?.title ?? columnHeading($0.name), ReportPage.csvName($0))
        }
          + [PageFrame.Link("Manifest", ManifestFiles.name)]),
    ].filter { !$0.links.isEmpty }
    frame.foot = ["tollgate \(look.version)", appsText(page.home.standing.experiments.asOf)]
    return frame.document("\(head.markup)\n\(content)")
  }

  /// Everything on one page, folded.
  private var single: String {
    func fold(_ title: String, _ content: Markup) -> Markup {
      """
      <details class="fold book"><summary><h2><bdi>\(title)</bdi></h2></summary><div class="wide">\(content)</div></details>

      """
    }
    var content = home.markup
    for app in apps { content += fold(app, AppPage(app: app, page: page, links: .none, marks: home.marks).markup) }
    var shown = PageLook(links: .none)
    shown.marks = home.marks
    for report in page.home.standing.readouts {
      content += fold(report.experiment, (try? FinishedReport.readout(report).content(shown)) ?? "")
    }
    return pageAlone(title: "Overview", homeHead, content)
  }

  /// The file of an app or experiment: its name where that is plain, else what is plain of it and a digest.
  static func name(_ kind: String, _ name: String, among all: [String]) -> String {
    let plain = String(
      String.UnicodeScalarView(
        name.unicodeScalars.filter { scalar in
          scalar.isASCII
            && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-_".unicodeScalars.contains(scalar))
        }.prefix(60)))
    let isAlone = all.count { $0.lowercased() == name.lowercased() } == 1
    if plain == name, isAlone, !plain.isEmpty { return "\(kind)-\(plain).html" }
    let digest = SHA256.hash(data: Data(name.utf8)).hexadecimal.prefix(8)
    return "\(kind)-\(plain)\(plain.isEmpty ? "" : "-")\(digest).html"
  }
}

/// The values of all readouts in long form, as `experiment --over-time --format csv` has those of one.
func experimentRows(_ reports: [ExperimentReport]) -> Report? {
  let all = reports.map(experimentRows)
  guard var merged = all.first else { return nil }
  merged.rows = all.flatMap(\.rows)
  merged.parameters.removeAll { parameter in !all.allSatisfy { $0.parameters.contains(parameter) } }
  return merged
}
