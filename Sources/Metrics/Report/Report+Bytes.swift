internal import EventModel

/// A whole report as bytes, for the ``ReportCache``.
extension Report {
  var bytes: [UInt8] {
    var bytes = ByteWriter()
    bytes.append(programVersion)
    bytes.append(name)
    bytes.append(title)
    bytes.append(definition)
    bytes.append(parameters.flatMap { [$0.name, $0.value] })
    bytes.append(Int128(newOlderThanData))
    bytes.append(Int128(asOf.count))
    for instant in asOf {
      bytes.append(instant.app)
      bytes.append(Int128(instant.asOf))
      bytes.append(instant.notes)
      bytes.append(Int128(instant.firstDay ?? .min))
      bytes.append(instant.variants)
    }
    bytes.append(columns.flatMap { [$0.name, $0.kind.rawValue] })
    Self.append(rows, to: &bytes)
    Self.append(totals, to: &bytes)
    return bytes.bytes
  }

  /// - Returns: `nil` for truncated bytes, and for bytes that another version of the program wrote.
  init?(bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard reader.text() == programVersion, let name = reader.text(), let title = reader.text(),
      let definition = reader.texts(), let parameters = reader.texts(), let older = reader.number(),
      let apps = reader.number()
    else { return nil }
    var asOf: [AppInstant] = []
    for _ in 0..<apps {
      guard let app = reader.text(), let instant = reader.number(), let notes = reader.texts(),
        let firstDay = reader.number().map({ Int64(truncatingIfNeeded: $0) }), let variants = reader.texts()
      else { return nil }
      var known = AppInstant(
        app: app, asOf: Int64(truncatingIfNeeded: instant), notes: notes, firstDay: firstDay == .min ? nil : firstDay)
      known.variants = variants
      asOf.append(known)
    }
    guard let columns = reader.texts().flatMap(Self.columns), let rows = Self.rows(of: columns, &reader),
      let totals = Self.rows(of: columns, &reader)
    else { return nil }
    self.init(
      name: name, title: title, definition: definition,
      parameters: Self.pairs(parameters).map { Parameter(name: $0, value: $1) }, asOf: asOf, columns: columns,
      rows: rows, totals: totals)
    newOlderThanData = Int(older)
  }

  /// Returns whether this version of the program wrote the report; another version may count differently.
  static func areOfThisVersion(_ bytes: [UInt8]) -> Bool {
    var reader = ByteReader(bytes)
    return reader.text() == programVersion
  }

  private static func columns(_ texts: [String]) -> [ReportColumn]? {
    let columns = pairs(texts).map { name, kind in ReportColumn.Kind(rawValue: kind).map { ReportColumn(name, $0) } }
    return columns.contains { $0 == nil } ? nil : columns.compactMap(\.self)
  }

  private static func pairs(_ texts: [String]) -> [(String, String)] {
    stride(from: 0, to: texts.count - 1, by: 2).map { (texts[$0], texts[$0 + 1]) }
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
