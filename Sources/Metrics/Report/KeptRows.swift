internal import EventModel

/// Rows of a report as bytes.
enum KeptRows {
  static func encode(_ report: Report) -> [UInt8] {
    var bytes = ByteWriter()
    append(report.rows, of: report.columns, to: &bytes)
    return bytes.bytes
  }

  /// - Returns: `nil` where the bytes are not rows of these columns, or another version of the program wrote them.
  static func decode(_ bytes: [UInt8], columns: [ReportColumn]) -> [[ReportValue]]? {
    var reader = ByteReader(bytes)
    return rows(of: columns, &reader)
  }

  /// What they are rows of: a version may have counted something else in the same columns.
  private static func heading(_ columns: [ReportColumn]) -> String {
    "\(programVersion) " + columns.map(\.name).joined(separator: ",")
  }

  static func append(_ rows: [[ReportValue]], of columns: [ReportColumn], to bytes: inout ByteWriter) {
    bytes.append(heading(columns))
    bytes.append(Int128(rows.count))
    for row in rows {
      for value in row {
        switch value {
        case .text(let text):
          bytes.append(Int128(0))
          bytes.append(text)
        case .count(let count): bytes.append(1, Int128(count))
        case .rate(let rate): bytes.append(2, rate.map { Int128($0.bitPattern) })
        case .money(let amount, let currency):
          bytes.append(3, amount)
          bytes.append(currency)
        case .estimate(let amount, let currency):
          bytes.append(4, amount.map { Int128($0.bitPattern) })
          bytes.append(currency)
        case .number(let number): bytes.append(5, number.map { Int128($0.bitPattern) })
        case .percent(let percent): bytes.append(6, percent.map { Int128($0) })
        case .probability(let chance): bytes.append(7, chance.map { Int128($0.bitPattern) })
        }
      }
    }
  }

  static func rows(of columns: [ReportColumn], _ reader: inout ByteReader) -> [[ReportValue]]? {
    guard reader.text() == heading(columns), let count = reader.number() else { return nil }
    var rows: [[ReportValue]] = []
    for _ in 0..<count {
      var row: [ReportValue] = []
      row.reserveCapacity(columns.count)
      for _ in columns {
        guard let value = value(&reader) else { return nil }
        row.append(value)
      }
      rows.append(row)
    }
    return rows
  }

  private static func value(_ reader: inout ByteReader) -> ReportValue? {
    guard let kind = reader.number() else { return nil }
    if kind == 0 { return reader.text().map(ReportValue.text) }
    guard let number = reader.optionalNumber() else { return nil }
    func double() -> Double? { number.map { Double(bitPattern: UInt64(truncatingIfNeeded: $0)) } }
    switch kind {
    case 1: return number.map { .count(Int($0)) }
    case 2: return .rate(double())
    case 3: return reader.text().map { .money(number, currency: $0) }
    case 4: return reader.text().map { .estimate(double(), currency: $0) }
    case 5: return .number(double())
    case 6: return .percent(number.map { Int($0) })
    case 7: return .probability(double())
    default: return nil
    }
  }
}
