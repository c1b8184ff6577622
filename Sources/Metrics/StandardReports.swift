internal import Lifecycle
public import Store

/// The four reports with no option given, which are asked for again and again: their rows are kept in the store until
/// the next commit.
public enum StandardReports {
  static let all = [Funnel.report, Trials.report, Savings.report, Cancellations.report]

  /// Keeps the reports of a store as it is now, where cells answer them; where only facts do they are not worth the wait.
  public static func keep(in store: Store) throws {
    try store.keepReports { snapshot in
      let query = try ReportQuery(snapshot, ReportOptions(), defaultBy: [])
      guard try query.facts.cells() != nil else { return [] }
      return try all.map { make in
        let report = try make(snapshot, ReportOptions())
        return (report.name, KeptRows.encode(report))
      }
    }
  }

  /// The names of kept reports that are not what cells answer; empty when all agree.
  public static func differences(_ snapshot: StoreSnapshot) throws -> [String] {
    var options = ReportOptions()
    options.source = .cells
    return try all.compactMap { make in
      let report = try make(snapshot, options)
      guard let kept = try snapshot.keptReport(report.name) else { return nil }
      return kept == KeptRows.encode(report) ? nil : report.name
    }
  }
}

extension ReportQuery {
  /// The kept rows of a report, if they are what is asked for.
  ///
  /// - Parameters:
  ///   - defaultBy: The report's own dimensions.
  ///   - columns: All of the report's; rows of others, kept by another version, are left alone.
  func keptRows(_ name: String, defaultBy: [Dimension], columns: [ReportColumn]) throws -> [[ReportValue]]? {
    var plain = ReportOptions()
    plain.apps = options.apps
    plain.by = options.by
    guard options == plain, options.by == nil || options.by == defaultBy,
      let bytes = try keptReport(name), let rows = KeptRows.decode(bytes, columns: columns)
    else { return nil }
    let names = Set(apps.map { ReportValue.text($0.name) })
    return rows.filter { row in row.first.map(names.contains) ?? false }
  }
}

/// Rows of a report as bytes.
enum KeptRows {
  static func encode(_ report: Report) -> [UInt8] {
    var bytes = ByteWriter()
    bytes.append(report.columns.map(\.name).joined(separator: ","))
    bytes.append(Int128(report.rows.count))
    for row in report.rows {
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
    return bytes.bytes
  }

  /// - Returns: `nil` where the bytes are not rows of these columns.
  static func decode(_ bytes: [UInt8], columns: [ReportColumn]) -> [[ReportValue]]? {
    var reader = ByteReader(bytes)
    guard reader.text() == columns.map(\.name).joined(separator: ","), let count = reader.number() else { return nil }
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

/// Numbers as varints of their zigzag form, texts as their length and bytes.
private struct ByteWriter {
  var bytes: [UInt8] = []

  mutating func append(_ number: Int128) {
    var rest = UInt128(bitPattern: number << 1 ^ number >> 127)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// A kind, whether there is a number, and the number.
  mutating func append(_ kind: Int128, _ number: Int128?) {
    append(kind)
    append(number == nil ? 0 : 1)
    if let number { append(number) }
  }

  mutating func append(_ text: String) {
    append(Int128(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }
}

private struct ByteReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func number() -> Int128? {
    var value: UInt128 = 0
    var shift = 0
    while offset < bytes.count, shift < 128 {
      let byte = bytes[offset]
      offset += 1
      value |= UInt128(byte & 0x7F) << shift
      if byte < 0x80 { return Int128(bitPattern: value >> 1) ^ -Int128(bitPattern: value & 1) }
      shift += 7
    }
    return nil
  }

  /// `nil` where the bytes end; `.some(nil)` for no number.
  mutating func optionalNumber() -> Int128?? {
    guard let isThere = number() else { return nil }
    if isThere == 0 { return .some(nil) }
    return number().map { .some($0) } ?? nil
  }

  mutating func text() -> String? {
    guard let count = number(), count >= 0, count <= bytes.count - offset else { return nil }
    let end = offset + Int(count)
    defer { offset = end }
    return String(decoding: bytes[offset..<end], as: UTF8.self)
  }
}
