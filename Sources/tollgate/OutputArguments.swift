public import ArgumentParser
import Foundation
import Metrics
public import Reports

/// How a report is shown, and where.
struct OutputArguments: ParsableArguments {
  @Option(help: "table, csv, json, markdown or html.")
  var format: ReportFormat = .table

  @OptionGroup var csv: CSVArguments

  @Flag(help: "With tables: bars and intervals in plain characters.")
  var plot = false

  @Option(help: ArgumentHelp("Write to a file, whole or not at all.", valueName: "file"))
  var output: String?

  @Option(
    help: ArgumentHelp("Order of rows (default: by the key columns, in byte order).", valueName: "column[:desc]"))
  var sort: String?

  @Option(help: ArgumentHelp("At most so many rows.", valueName: "n"))
  var limit: Int?

  mutating func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit is \(limit), but must be at least 0") }
    if csv.spreadsheet && format != .csv { throw ValidationError("--spreadsheet is for --format csv") }
  }

  func write(_ report: Report) throws {
    try write { try render(report, as: $0, options: $1) }
  }

  /// Writes what is rendered in the format asked for.
  func write(_ rendered: (ReportFormat, RenderOptions) throws -> String) throws {
    let isTerminal = output == nil && isatty(STDOUT_FILENO) == 1
    let noColor = ProcessInfo.processInfo.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    var options = RenderOptions()
    options.width = isTerminal ? Terminal.width : 80
    options.isColored = isTerminal && !noColor
    options.isSpreadsheetSafe = csv.spreadsheet
    options.isPlotted = plot
    options.sort = sort
    options.limit = limit
    let text = try rendered(format, options)
    guard let output else {
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
      return
    }
    do {
      // Through a file beside it that takes its name when it is whole.
      try Data(text.utf8).write(to: URL(fileURLWithPath: output), options: .atomic)
    } catch {
      throw UsageError("--output \(output): cannot be written: \(error.localizedDescription)")
    }
  }
}

extension ReportFormat: ExpressibleByArgument {}
