import ArgumentParser
import EventModel
import Metrics
import Reports
import Store

struct ReportCommand: StoreReading {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Write a folder of pages to read, print and mail.",
    discussion: """
      Writes these files:

        index.html      the last 28 days and all verdicts
        a page          for each app
        a page, a memo  for each experiment
        tables/*.csv    every table
        manifest.json   the parameters and each file's SHA-256

      Pages run no script and request nothing from other hosts. Files of an earlier report are replaced or removed. Other \
      files stay. If a file to replace is not of an earlier report, or someone changed it, the command names it and writes \
      nothing.

      Without --by, rows are variants, and cancellations are by variant and plan. Revenue, MRR movement, subscriptions and \
      cohorts are always by month. Savings are always in the currencies of the prices shown.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup(title: "Report") var arguments: ReportArguments<PageReport>
  @OptionGroup var csv: CSVArguments

  @Option(
    help: ArgumentHelp("Folder to write to; created if missing.", valueName: "dir"),
    completion: .directory)
  var output: String

  @Flag(help: "Write one page with folded sections, to mail.")
  var singleFile = false

  @Flag(help: "Let other accounts, such as a web server's, read the files.")
  var `public` = false

  @OptionGroup var plans: PlanArguments
  @OptionGroup var annotations: AnnotationArguments

  func asked() throws -> ReportRequest { try arguments.request() }

  func run() throws { try run(on: common.storePath) }

  func run(on path: String) throws {
    let make = try reporting()
    for warning in try asked().options.filters.flatMap(\.warnings) { LogFormat.warn(warning) }
    let store = try Store.open(readOnly: path)
    // One snapshot, so that all are of the same events.
    let page = try store.read(knownAt: arguments.knownAt, logger: common.logger, make)
    try write(page)
    let pages = page.files.count { $0.name.hasSuffix(".html") }
    if !common.quiet { print(ReportMarkup.shown("\(output): \(counted(pages, "page")); open \(output)/index.html")) }
  }

  func write(_ page: ReportPage) throws {
    for name in try ReportFolder(path: output, isPublic: `public`).write(page.files) {
      LogFormat.warn("\(output)/\(name): kept, because it was changed after an earlier report wrote it")
    }
  }

  /// Checks the arguments; the page is then made of one snapshot.
  func reporting() throws -> (StoreSnapshot) throws -> ReportPage {
    _ = try ReportFolder(path: output)
    let request = try asked()
    var look = ReportPage.Look(version: Tollgate.version)
    (look.isSpreadsheetSafe, look.isSingleFile) = (csv.spreadsheet, singleFile)
    look.notes = try annotations.notes()
    let plans = try plans.files()
    return { [request, knownAt = arguments.knownAt, look] snapshot in
      let reports = try PageReports(snapshot, request.resolved(snapshot).options, plans: plans)
      return ReportPage(reports.noting(knownAt: knownAt), look: look)
    }
  }
}
