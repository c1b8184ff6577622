internal import Basics
internal import Crypto
internal import EventModel
internal import Foundation
import Metrics

/// The files listed in a manifest, as far as it can be read.
struct ManifestFiles: Codable {
  static let name = "manifest.json"

  struct File: Codable, Hashable {
    var name: String
    var sha256: String
  }

  /// A manifest of a run that did not end has some files twice: as they were, and as they were to be.
  var files: [File]

  init(_ files: [File]) { self.files = files }

  /// - Parameter folder: With the manifest; none has no files.
  init(folder: String) {
    let text = FileManager.default.contents(atPath: "\(folder)/\(Self.name)")
    files = text.flatMap { try? JSONDecoder().decode(Self.self, from: $0) }?.files ?? []
  }

  static func isManifest(_ content: Data) -> Bool { (try? JSONDecoder().decode(Self.self, from: content)) != nil }
}

/// Returns the manifest of a folder of reports as JSON: its sources and the expected content of each file.
///
/// - Parameter shared: Parameters that are said once for all reports that have them.
func manifestText(
  _ reports: [Report], shared: [Report.Parameter], files: [ReportPage.File], version: String, isSpreadsheetSafe: Bool
) -> String {
  let csv = ("csv", isSpreadsheetSafe ? "spreadsheet" : "exact")
  let ofReports = reports.map { report -> JSONNode in
    .object([
      "report": .string(report.name), "file": .string(ReportPage.csvName(report)),
      "rows": JSONNode(Int64(report.rows.count)),
      "parameters": .texts(report.parameters.filter { !shared.contains($0) }.map { ($0.name, $0.value) }),
    ])
  }
  let ofFiles = files.map { file -> JSONNode in
    .object([
      "name": .string(file.name), "size": JSONNode(Int64(file.text.utf8.count)),
      "sha256": .string(SHA256.hash(data: Data(file.text.utf8)).hexadecimal),
    ])
  }
  return JSONNode.object([
    "program": "tollgate", "version": .string(version),
    "parameters": .texts(shared.map { ($0.name, $0.value) } + [csv]),
    "as_of": .texts((reports.last?.asOf ?? []).map { ($0.app, instantText($0.asOf)) }),
    "reports": .array(ofReports), "files": .array(ofFiles),
  ]).lines
}
