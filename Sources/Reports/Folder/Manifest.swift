internal import Crypto
internal import EventModel
internal import Foundation
import Metrics

/// The files listed in a manifest, as far as it can be read.
struct ManifestFiles: Decodable {
  static let name = "manifest.json"

  struct File: Decodable {
    var name: String
    var sha256: String
  }

  var files: [File]

  /// - Parameter folder: With the manifest; none has no files.
  init(folder: String) {
    let text = FileManager.default.contents(atPath: "\(folder)/\(Self.name)")
    files = text.flatMap { try? JSONDecoder().decode(Self.self, from: $0) }?.files ?? []
  }
}

/// Returns the manifest of a folder of reports as JSON: its sources and the expected content of each file.
///
/// - Parameter shared: Parameters that are said once for all reports that have them.
func manifestText(
  _ reports: [Report], shared: [Report.Parameter], files: [ReportPage.File], version: String, isSpreadsheetSafe: Bool
) -> String {
  var lines = JSONLines()
  lines.open("{")
  lines.add(jsonString("tollgate"), for: "program")
  lines.add(jsonString(version), for: "version")
  lines.open("{", for: "parameters")
  for parameter in shared { lines.add(jsonString(parameter.value), for: parameter.name) }
  lines.add(jsonString(isSpreadsheetSafe ? "spreadsheet" : "exact"), for: "csv")
  lines.close("}")
  lines.add((reports.last?.asOf ?? []).map { ($0.app, instantText($0.asOf)) }, for: "as_of")
  lines.open("[", for: "reports")
  for report in reports {
    lines.open("{")
    lines.add(jsonString(report.name), for: "report")
    lines.add(jsonString(ReportPage.csvName(report)), for: "file")
    lines.add(String(report.rows.count), for: "rows")
    lines.open("{", for: "parameters")
    for parameter in report.parameters
    where !shared.contains(where: { $0.name == parameter.name && $0.value == parameter.value }) {
      lines.add(jsonString(parameter.value), for: parameter.name)
    }
    lines.close("}")
    lines.close("}")
  }
  lines.close("]")
  lines.open("[", for: "files")
  for file in files {
    lines.open("{")
    lines.add(jsonString(file.name), for: "name")
    lines.add(String(file.text.utf8.count), for: "size")
    lines.add(jsonString(SHA256.hash(data: Data(file.text.utf8)).hexadecimal), for: "sha256")
    lines.close("}")
  }
  lines.close("]")
  lines.close("}")
  return lines.text + "\n"
}
