extension Report {
  /// The one row of a cell.
  ///
  /// - Parameters:
  ///   - cell: Key columns with the values of the row.
  ///   - others: What has rows by other columns, where anything has.
  /// - Throws: ``ExplanationError`` where no row or more than one has them.
  func row(of cell: [(name: String, value: String)], others: String? = "--by") throws -> [ReportValue] {
    let keys = columns.indices.filter { columns[$0].kind == .key }
    var wanted: [(place: Int, value: String)] = []
    for (name, value) in cell {
      guard let place = keys.first(where: { columns[$0].name == name }) else {
        throw ExplanationError.unknownKey(name, keys.map { columns[$0].name }, others: others)
      }
      wanted.append((place, value))
    }
    let found = rows.filter { row in wanted.allSatisfy { row[$0.place].keyText.utf8.elementsEqual($0.value.utf8) } }
    guard let row = found.first else { throw ExplanationError.noRow(cell, rows: rows.count) }
    if found.count > 1 {
      let missing = keys.filter { key in Set(found.map { $0[key] }).count > 1 }
      throw ExplanationError.severalRows(found.count, missing: missing.map { columns[$0].name })
    }
    return row
  }

  /// The key columns with what a row has in them.
  public func cell(of row: [ReportValue]) -> [(name: String, value: String)] {
    zip(columns, row).filter { $0.0.kind == .key }.map { ($0.0.name, $0.1.keyText) }
  }

  /// What a row has in a column.
  func value(_ column: String, in row: [ReportValue]) -> ReportValue? {
    columns.firstIndex { $0.name == column }.map { row[$0] }
  }

  /// A column that is no key.
  ///
  /// - Throws: ``ExplanationError``.
  func place(ofNumber column: String) throws -> Int {
    guard let place = columns.firstIndex(where: { $0.name == column }) else {
      throw ExplanationError.unknownColumn(column, columns.filter { $0.kind != .key }.map(\.name))
    }
    if columns[place].kind == .key { throw ExplanationError.keyColumn(column) }
    return place
  }
}

extension ReportValue {
  /// What a key column reads.
  var keyText: String {
    if case .text(let text) = self { text } else { "" }
  }

  /// Whether it is a number that is not there.
  var isEmpty: Bool {
    switch self {
    case .rate(nil), .number(nil), .money(nil, _), .estimate(nil, _), .percent(nil), .probability(nil): true
    default: false
    }
  }
}
