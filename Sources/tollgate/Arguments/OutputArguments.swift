public import ArgumentParser
import Basics
import Foundation
import Metrics
public import Reports

/// How a report is shown, and where.
struct OutputArguments: ParsableArguments {
  @Option(help: "Output format.")
  var format: ReportFormat = .table

  @OptionGroup var csv: CSVArguments

  @Flag(help: "Draw the rates of a table and their intervals as bars of plain text.")
  var plot = false

  @Option(
    help: ArgumentHelp(
      "Write to this file. An existing file is replaced only when the output is complete.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Column to sort by (default: largest first in tables, by key in CSV and JSON).", valueName: "column[:desc]"))
  var sort: String?

  @Option(help: ArgumentHelp("Maximum number of rows.", valueName: "n"))
  var limit: Int?

  @Option(
    help: ArgumentHelp(
      "Columns to show, by their CSV names: a,b for these, +a,-b to add and remove some, or all.", valueName: "columns"
    ))
  var columns: String?

  @Flag(help: "Print the options and definitions below a table.")
  var notes = false

  @Option(
    help: ArgumentHelp(
      "Table width in characters; 0 for no limit (default: $COLUMNS, else the terminal's, else 100).", valueName: "n"))
  var width: Int?

  @Flag(help: "End with status 3 if there are no rows.")
  var failIfEmpty = false

  @Flag(help: "Print long tables without a pager.")
  var noPager = false

  @Option(
    help: ArgumentHelp(
      "Also write a receipt: the exact command, the store's content and a hash, for `tollgate verify`.",
      valueName: "file"),
    completion: .file())
  var receipt: String?

  /// The options that change the JSON of a report.
  var words: [String] {
    let options = [("sort", sort), ("limit", limit.map(String.init)), ("columns", columns)]
    return ["--format", "json"] + options.compactMap { name, value in value.map { "--\(name)=\($0)" } }
  }

  mutating func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit is \(limit), but must be at least 0") }
    if let width, width < 0 { throw ValidationError("--width is \(width), but must be at least 0") }
    if columns != nil, format == .html {
      throw ValidationError("--columns does not work with --format html, which has all columns")
    }
    if csv.spreadsheet && format != .csv { throw ValidationError("--spreadsheet needs --format csv") }
  }

  /// How it is to look.
  ///
  /// - Parameter isTerminal: Whether it is for the terminal that standard output is.
  func renderOptions(isTerminal: Bool) -> RenderOptions {
    let noColor = ProcessInfo.processInfo.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    var options = RenderOptions()
    let width = self.width ?? (isTerminal ? Terminal.columns : nil) ?? Terminal.columnsAsked ?? 100
    options.width = width == 0 ? nil : width
    options.isTerminal = isTerminal
    options.height = isTerminal && Pager.command(isOff: noPager) != nil ? Terminal.lines : nil
    options.isColored = isTerminal && !noColor
    options.isSpreadsheetSafe = csv.spreadsheet
    options.isPlotted = plot
    options.sort = sort
    options.limit = limit
    options.columns = columns
    options.showsNotes = notes
    return options
  }

  private var isForTerminal: Bool { output == nil && isatty(STDOUT_FILENO) == 1 }

  /// A report in the format asked for.
  func text(
    _ report: FinishedReport, adjusting adjust: (inout RenderOptions) -> Void = { _ in }
  ) throws -> String {
    var options = renderOptions(isTerminal: isForTerminal)
    adjust(&options)
    return try report.text(as: format, options: options)
  }

  /// Writes a receipt to where it is asked for.
  func write(_ receipt: Receipt) throws {
    guard let path = self.receipt else { return }
    try WholeFile.write(Data(receipt.json.json + [0x0A]), to: path, ofOption: "--receipt ")
  }

  /// Writes to where it is asked for.
  func write(_ text: String) throws {
    guard let output else {
      if isForTerminal, format == .table, let lines = Terminal.lines, text.count(where: \.isNewline) >= lines,
        let pager = Pager.command(isOff: noPager), try Pager.show(text, with: pager)
      {
        return
      }
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
      return
    }
    try WholeFile.write(Data(text.utf8), to: output, ofOption: "--output ")
  }
}

extension ReportFormat: ExpressibleByArgument {}
