import ArgumentParser
import Metrics
import Reports
import Store

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Writes one page of reports with pictures, and every table as CSV beside it.",
    discussion: """
      The folder gets index.html, which needs no other file and runs no script, a CSV file of each report, and \
      manifest.json with the parameters and each file's SHA-256. Files of these names are replaced, others stay. \
      The page opens with the numbers that changed most between the last two full weeks, and the state of every \
      experiment. Without --by, rows are by variant, those of cancellations by variant and plan; revenue, the movement of \
      MRR, subscriptions and cohorts are by month in any case.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments
  @OptionGroup var funnel: FunnelArguments
  @OptionGroup var csv: CSVArguments

  @Option(help: ArgumentHelp("The folder to write to; it is made where it does not exist.", valueName: "dir"))
  var output: String

  mutating func validate() throws {
    if let currency = arguments.currency.code {
      throw ValidationError(
        "--currency is \(currency), but the page has savings, which compares prices as they were shown: native")
    }
  }

  func run() throws {
    let folder = try ReportFolder(path: output)
    var options = try arguments.reportOptions()
    funnel.add(to: &options)
    let store = try Store.open(readOnly: common.storePath)
    // One snapshot, so that all are of the same events.
    let reports = try store.read { try PageReports($0, options) }
    let page = ReportPage(reports, version: Tollgate.version, isSpreadsheetSafe: csv.spreadsheet)
    try folder.write(page.files)
    if !common.quiet { print("\(output): \(page.files.map(\.name).joined(separator: ", "))") }
  }
}
