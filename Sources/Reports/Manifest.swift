internal import Crypto
internal import Foundation
import Metrics

/// What a folder of reports was made from, and what each file has to be: JSON.
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
  lines.open("{", for: "as_of")
  for app in reports.last?.asOf ?? [] { lines.add(jsonString(instantText(app.asOf)), for: app.app) }
  lines.close("}")
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
    let digest = SHA256.hash(data: Data(file.text.utf8))
    let hexadecimal = digest.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0\(digits)" : digits
    }
    lines.open("{")
    lines.add(jsonString(file.name), for: "name")
    lines.add(String(file.text.utf8.count), for: "size")
    lines.add(jsonString(hexadecimal.joined()), for: "sha256")
    lines.close("}")
  }
  lines.close("]")
  lines.close("}")
  return lines.text + "\n"
}
