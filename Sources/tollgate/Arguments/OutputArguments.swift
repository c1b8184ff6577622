public import ArgumentParser
import Foundation
public import Reports

/// How a report is shown, and where.
struct OutputArguments: ParsableArguments {
  @Option(help: "table, csv, json, markdown or html.")
  var format: ReportFormat = .table

  @OptionGroup var csv: CSVArguments

  @Flag(help: "With tables: bars and intervals in plain characters.")
  var plot = false

  @Option(help: ArgumentHelp("Write to a file, whole or not at all.", valueName: "file"), completion: .file())
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

  /// How it is to look.
  ///
  /// - Parameter width: Columns of the terminal; `nil` where it is for none.
  func renderOptions(width: Int?) -> RenderOptions {
    let noColor = ProcessInfo.processInfo.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    var options = RenderOptions()
    options.width = width ?? 80
    options.isColored = width != nil && !noColor
    options.isSpreadsheetSafe = csv.spreadsheet
    options.isPlotted = plot
    options.sort = sort
    options.limit = limit
    return options
  }

  /// A report in the format asked for.
  func text(
    _ report: FinishedReport, adjusting adjust: (inout RenderOptions) -> Void = { _ in }
  ) throws -> String {
    let isTerminal = output == nil && isatty(STDOUT_FILENO) == 1
    var options = renderOptions(width: isTerminal ? Terminal.width : nil)
    adjust(&options)
    return try report.text(as: format, options: options)
  }

  /// Writes a report in the format asked for.
  func write(_ report: FinishedReport, adjusting adjust: (inout RenderOptions) -> Void = { _ in }) throws {
    try write(text(report, adjusting: adjust))
  }

  /// Writes to where it is asked for.
  func write(_ text: String) throws {
    guard let output else {
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
      return
    }
    do {
      try WholeFile.write(Data(text.utf8), to: output)
    } catch {
      throw UsageError("--output \(output): \(error)")
    }
  }
}

extension ReportFormat: ExpressibleByArgument {}
