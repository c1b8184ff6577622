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
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the documented views as CSV or NDJSON.",
    discussion: """
      Reads all views at one instant. Values are whole numbers, decimals, text, and instants as RFC 3339 in UTC; an empty \
      cell and null are NULL, so DuckDB and pyarrow read the files without a schema. Quarantined bytes that are not UTF-8 \
      are written as base64 after "base64:".

        tollgate export --output export
        tollgate export payments --format ndjson | gzip > payments.ndjson.gz
      """)

  @OptionGroup var common: CommonOptions

  @Argument(help: "Views to write (default: all): \(StoreSnapshot.views.joined(separator: ", ")).")
  var views: [String] = []

  @Option(help: "File format: csv or ndjson.")
  var format: Format = .csv

  @Option(
    help: ArgumentHelp("Folder for one file per view (default: one view to standard output).", valueName: "dir"))
  var output: String?

  mutating func validate() throws {
    for view in views where !StoreSnapshot.views.contains(view) {
      throw ValidationError("\(view) is not a view; expected one of \(StoreSnapshot.views.joined(separator: ", "))")
    }
    if output == nil && views.count != 1 {
      throw ValidationError("--output is missing: standard output takes one view, such as `tollgate export events`")
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
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for view in wanted {
          let rows = try ViewWriter.write(view, of: snapshot, as: format, in: folder)
          if !common.quiet { print("\(output)/\(view).\(format.rawValue): \(grouped(rows)) rows") }
        }
      } catch let error as CocoaError {
        throw UsageError("--output \(output): cannot be written: \(error.localizedDescription)")
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
    let part = folder.appendingPathComponent(".\(view).part-\(ProcessInfo.processInfo.processIdentifier)")
    // User data is readable by its owner only.
    guard FileManager.default.createFile(atPath: part.path, contents: nil, attributes: [.posixPermissions: 0o600])
    else {
      throw CocoaError(.fileWriteNoPermission)
    }
    defer { try? FileManager.default.removeItem(at: part) }
    let file = try FileHandle(forWritingTo: part)
    let writer = ViewWriter(format, file)
    try writer.write(view, of: snapshot)
    try file.close()
    guard rename(part.path, target.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    return writer.rows
  }

  func write(_ view: String, of snapshot: StoreSnapshot) throws {
    try snapshot.forEachRow(ofView: view) { columns in
      keys = columns.map { JSONText.quoted($0) }
      if format == .csv { append(columns.joined(separator: ",") + "\n") }
    } _: { row in
      switch format {
      case .csv: append(row.map(Self.csv).joined(separator: ",") + "\n")
      case .ndjson: append("{" + zip(keys, row).map { "\($0):\(Self.json($1))" }.joined(separator: ",") + "}\n")
      }
      rows += 1
      if buffer.count >= Self.portion { try flush() }
    }
    try flush()
  }

  private func append(_ text: String) { buffer.append(contentsOf: text.utf8) }

  private func flush() throws {
    try file.write(contentsOf: buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  private static func csv(_ value: ViewValue) -> String {
    switch value {
    case .null: ""
    case .integer(let number): String(number)
    case .real(let number): "\(number)"
    case .bytes(let bytes): "base64:" + Data(bytes).base64EncodedString()
    case .text(let text):
      text.isEmpty || text.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D })
        ? "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\"" : text
    }
  }

  private static func json(_ value: ViewValue) -> String {
    switch value {
    case .null: "null"
    case .integer(let number): String(number)
    case .real(let number): "\(number)"
    case .bytes(let bytes): JSONText.quoted("base64:" + Data(bytes).base64EncodedString())
    case .text(let text): JSONText.quoted(text)
    }
  }
}
