import ArgumentParser
import Basics
import EventModel
import Foundation
import Reports
import Store

struct ExportCommand: ParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case csv
    case ndjson
    case parquet
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Export the data as CSV, NDJSON or Parquet.",
    discussion: """
        tollgate export --output export
        tollgate export --format parquet --output export
        tollgate export payments --format ndjson | gzip > payments.ndjson.gz

      Reads all views at one moment. DuckDB and pyarrow read the files without a schema: values are whole numbers, \
      decimals, text, or times in UTC (RFC 3339), and an empty cell or null is no value. Rejected lines that are not UTF-8 \
      are written as base64 after "base64:".

      In Parquet, times are timestamps, money is DECIMAL(18, 6), and the view `events` has only the columns of native \
      event files. You can ingest this view again, as NDJSON or Parquet. With the same exchange rates, a store made \
      from it gives the same reports. To join its users with other views, export `users`, too: it has the number that \
      other views have for each app and user_id.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(help: "Views to write (default: all): \(StoreSnapshot.views.joined(separator: ", ")).")
  var views: [String] = []

  @Option(help: "File format: csv, ndjson or parquet.")
  var format: Format = .csv

  @Option(
    help: ArgumentHelp(
      "Folder for one file per view; replaces files of the same names. Without it, name one view to write to standard output.",
      valueName: "dir"))
  var output: String?

  mutating func validate() throws {
    for view in views where !StoreSnapshot.views.contains(view) {
      throw ValidationError("\(view) is not a view; expected one of \(StoreSnapshot.views.joined(separator: ", "))")
    }
    if output == nil, format == .parquet, isatty(STDOUT_FILENO) == 1 {
      throw ValidationError("Parquet is not text for a terminal: name a folder with --output")
    }
    if output == nil && views.count != 1 {
      throw ValidationError("--output is missing: standard output takes one view, such as `tollgate export events`")
    }
  }

  static func text(_ value: ViewValue) -> String {
    switch value {
    case .null: ""
    case .integer(let number): String(number)
    case .real(let number): "\(number)"
    case .bytes(let bytes): "base64:" + Data(bytes).base64EncodedString()
    case .text(let text): text
    }
  }

  func run() throws {
    let store = try Store.open(readOnly: common.storePath)
    let wanted = views.isEmpty ? StoreSnapshot.views : views
    try store.read { snapshot in
      guard let output else {
        let writer = ViewWriter(format, FileHandle.standardOutput)
        return try writer.write(wanted[0], of: snapshot)
      }
      let folder = URL(fileURLWithPath: output)
      do {
        try FileManager.default.createDirectory(
          at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for view in wanted {
          let rows = try ViewWriter.write(view, of: snapshot, as: format, in: folder)
          let said = "\(output)/\(view).\(format.rawValue): \(counted(rows, "row"))"
          if !common.quiet { print(ReportMarkup.shown(said)) }
        }
      } catch let error as CocoaError {
        throw UsageError("--output \(output): cannot be written: \(FileArgument.reason(of: error, at: output))")
      }
    }
  }
}

/// Writes the rows of a view as they arrive.
private final class ViewWriter {
  private static let portion = 1 << 20

  private let format: ExportCommand.Format
  private let file: FileHandle
  private var buffer = Data()
  private var keys: [String] = []
  /// The column whose texts are JSON themselves.
  private var jsonColumn: Int?
  private var parquet: ParquetView?
  private(set) var rows = 0

  init(_ format: ExportCommand.Format, _ file: FileHandle) {
    self.format = format
    self.file = file
  }

  /// Writes `VIEW.FORMAT` atomically; returns the number of rows.
  static func write(
    _ view: String, of snapshot: StoreSnapshot, as format: ExportCommand.Format, in folder: URL
  ) throws -> Int {
    let target = folder.appendingPathComponent("\(view).\(format.rawValue)")
    // User data is readable by its owner only.
    guard let part = PartFile(for: target.path) else {
      throw UsageError("\(target.path): cannot be written: \(SystemReason.text(errno, at: target.path))")
    }
    defer { unlink(part.path) }
    let file = FileHandle(fileDescriptor: part.descriptor, closeOnDealloc: false)
    let writer = ViewWriter(format, file)
    try writer.write(view, of: snapshot)
    guard rename(part.path, target.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    return writer.rows
  }

  func write(_ view: String, of snapshot: StoreSnapshot) throws {
    try snapshot.forEachRow(ofView: view) { columns in
      keys = columns.map { JSONText.quoted($0) }
      jsonColumn = columns.firstIndex(of: "properties")
      switch format {
      case .csv: append(columns.joined(separator: ",") + "\n")
      case .ndjson: break
      case .parquet: parquet = ParquetView(view, columns: columns)
      }
    } _: { row in
      switch format {
      case .csv: append(row.map(Self.csv).joined(separator: ",") + "\n")
      case .ndjson: append("{" + row.indices.map { "\(keys[$0]):\(json(row, $0))" }.joined(separator: ",") + "}\n")
      case .parquet: if let bytes = try parquet?.append(row) { buffer.append(contentsOf: bytes) }
      }
      rows += 1
      if buffer.count >= Self.portion { try flush() }
    }
    if let rest = try parquet?.finish() { buffer.append(contentsOf: rest) }
    try flush()
  }

  private func append(_ text: String) { buffer.append(contentsOf: text.utf8) }

  private func flush() throws {
    try file.write(contentsOf: buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  private static func csv(_ value: ViewValue) -> String {
    switch value {
    case .null, .integer, .real, .bytes: ExportCommand.text(value)
    // An empty text, unlike no value.
    case .text(""): "\"\""
    case .text(let text): csvQuoted(text)
    }
  }

  private func json(_ row: [ViewValue], _ column: Int) -> String {
    let value = row[column]
    return switch value {
    case .text(let text) where column == jsonColumn: text
    case .null: "null"
    case .integer, .real: ExportCommand.text(value)
    case .bytes, .text: JSONText.quoted(ExportCommand.text(value))
    }
  }
}
