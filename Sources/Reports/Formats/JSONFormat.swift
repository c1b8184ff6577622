import Basics
import Metrics

/// RFC 8259, indented by two spaces, members in the report's order; numbers with the digits that CSV has. A report without
/// rows has a note that says why.
func jsonText(_ report: Report) -> String {
  var lines = JSONLines()
  lines.open("{")
  lines.add(jsonString(report.name), for: "report")
  lines.add(report.definition, for: "definition")
  lines.add(report.parameters.map { ($0.name, $0.value) }, for: "parameters")
  lines.add(report.asOf.map { ($0.app, instantText($0.asOf)) }, for: "as_of")
  lines.open("[", for: "rows")
  for row in report.rows {
    lines.open("{")
    for (column, value) in zip(report.columns, row) { lines.add(jsonValue(value), for: column.name) }
    lines.close("}")
  }
  lines.close("]")
  if report.rows.isEmpty { lines.add(jsonString(report.emptySentence), for: "note") }
  lines.close("}")
  return lines.text + "\n"
}

private func jsonValue(_ value: ReportValue) -> String {
  guard let stored = value.storedText else { return "null" }
  return value.isText ? jsonString(stored) : stored
}

/// Escapes what RFC 8259 requires, and what a terminal or an editor would act on or hide.
func jsonString(_ text: String) -> String {
  var escaped = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": escaped += "\\\""
    case "\\": escaped += "\\\\"
    case "\n": escaped += "\\n"
    case "\r": escaped += "\\r"
    case "\t": escaped += "\\t"
    case let scalar where scalar.isHidden: escaped += "\\u" + hexadecimal(scalar.value)
    default: escaped.unicodeScalars.append(scalar)
    }
  }
  return escaped + "\""
}
