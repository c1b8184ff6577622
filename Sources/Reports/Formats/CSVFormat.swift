import Metrics

/// RFC 4180 with `\n`: quoted only where needed, values as stored, undefined ones empty.
func csvText(_ report: Report, isSpreadsheetSafe: Bool) -> String {
  var text = ""
  func append(_ cells: some Sequence<String>) {
    var isFirst = true
    for cell in cells {
      if !isFirst { text.append(",") }
      isFirst = false
      text.append(csvQuoted(cell))
    }
    text.append("\n")
  }
  append(report.columns.map { isSpreadsheetSafe ? spreadsheetSafe($0.name) : $0.name })
  for row in report.rows {
    append(
      row.lazy.map { value in
        let stored = value.storedText ?? ""
        return isSpreadsheetSafe && value.isText ? spreadsheetSafe(stored) : stored
      })
  }
  return text
}

/// A cell of CSV, in quotes where RFC 4180 needs them.
public func csvQuoted(_ cell: String) -> String {
  // By bytes: a line feed behind a carriage return is no `Character` of its own.
  let needsQuotes = cell.utf8.contains { byte in
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 0x0A || byte == 0x0D
  }
  guard needsQuotes else { return cell }
  var quoted: [UInt8] = [UInt8(ascii: "\"")]
  for byte in cell.utf8 {
    if byte == UInt8(ascii: "\"") { quoted.append(byte) }
    quoted.append(byte)
  }
  quoted.append(UInt8(ascii: "\""))
  return String(decoding: quoted, as: UTF8.self)
}
