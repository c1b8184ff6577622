import Basics
import Metrics

/// RFC 8259, indented by two spaces, members in the report's order; numbers with the digits that CSV has. A report without
/// rows has a note that says why.
func jsonText(_ report: Report) -> String {
  var members = [
    JSONMember("report", .string(report.name)), JSONMember("definition", .texts(report.definition)),
    JSONMember("parameters", .texts(report.parameters.map { ($0.name, $0.value) })),
    JSONMember("as_of", .texts(report.asOf.map { ($0.app, instantText($0.asOf)) })),
    JSONMember(
      "rows",
      .array(
        report.rows.map { row in
          .object(zip(report.columns, row).map { JSONMember($0.name, jsonValue($1)) })
        })),
  ]
  if report.rows.isEmpty { members.append(JSONMember("note", .string(report.emptySentence))) }
  return JSONNode.object(members).lines
}

private func jsonValue(_ value: ReportValue) -> JSONNode {
  guard let stored = value.storedText else { return .null }
  return value.isText ? .string(stored) : .number(stored)
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
