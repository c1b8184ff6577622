import ArgumentParser
import Metrics
import Reports
import Store

struct ReportCommand: StoreReading {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Writes one page of reports with pictures, and every table as CSV beside it.",
    discussion: """
      The folder gets index.html, which needs no other file and runs no script, a CSV file of each report, and \
      manifest.json with the parameters and each file's SHA-256. Files of these names are replaced; tables of the former page \
      that this one does not have go, unless somebody has changed them; others stay. \
      The page opens with the numbers that changed most between the last two full weeks, and the state of every \
      experiment. Without --by, rows are by variant, those of cancellations by variant and plan; revenue, the movement of \
      MRR, subscriptions and cohorts are by month in any case. \
      With --currency, savings stay in the currencies of the prices shown.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments<PageReport>
  @OptionGroup var csv: CSVArguments

  @Option(
    help: ArgumentHelp("The folder to write to; it is made where it does not exist.", valueName: "dir"),
    completion: .directory)
  var output: String

  func asked() throws -> ReportRequest { try arguments.request() }

  func run() throws { try run(on: common.storePath) }

  func run(on path: String) throws {
    let make = try reporting()
    for warning in try asked().options.filters.flatMap(\.warnings) { LogFormat.warn(warning) }
    let store = try Store.open(readOnly: path)
    // One snapshot, so that all are of the same events.
    let page = try store.read(knownAt: arguments.knownAt, logger: common.logger, make)
    try write(page)
    if !common.quiet { print("\(output): \(page.files.map(\.name).joined(separator: ", "))") }
  }

  func write(_ page: ReportPage) throws {
    for name in try ReportFolder(path: output).write(page.files) {
      LogFormat.warn("\(output)/\(name): is of a former page and was changed since: it stays")
    }
  }

  /// Checks the arguments; the page is then made of one snapshot.
  func reporting() throws -> (StoreSnapshot) throws -> ReportPage {
    _ = try ReportFolder(path: output)
    let options = try asked().options
    return { [knownAt = arguments.knownAt, isSafe = csv.spreadsheet] snapshot in
      let reports = try PageReports(snapshot, options).noting(knownAt: knownAt)
      return ReportPage(reports, version: Tollgate.version, isSpreadsheetSafe: isSafe)
    }
  }
}
