internal import EventModel
internal import Foundation

/// A whole report as bytes, for the ``ReportCache``: the program's version, then the head as JSON, then the values.
extension Report {
  var bytes: [UInt8] {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      var bytes = ByteWriter()
      bytes.append(programVersion)
      bytes.append(String(decoding: try encoder.encode(self), as: UTF8.self))
      Self.append(rows, to: &bytes)
      Self.append(totals, to: &bytes)
      return bytes.bytes
    }
  }

  /// - Returns: `nil` for truncated bytes, and for bytes that another version of the program wrote.
  init?(bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard reader.text() == programVersion,
      var report = reader.text().flatMap({ try? JSONDecoder().decode(Self.self, from: Data($0.utf8)) }),
      let rows = Self.rows(of: report.columns, &reader), let totals = Self.rows(of: report.columns, &reader)
    else { return nil }
    (report.rows, report.totals) = (rows, totals)
    self = report
  }

  /// Returns whether this version of the program wrote the report; another version may count differently.
  static func areOfThisVersion(_ bytes: [UInt8]) -> Bool {
    var reader = ByteReader(bytes)
    return reader.text() == programVersion
  }

  private static func append(_ rows: [[ReportValue]], to bytes: inout ByteWriter) {
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

  private static func rows(of columns: [ReportColumn], _ reader: inout ByteReader) -> [[ReportValue]]? {
    guard let count = reader.number() else { return nil }
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
