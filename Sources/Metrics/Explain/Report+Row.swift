extension Report {
  /// Returns the only row with some keys.
  ///
  /// - Parameters:
  ///   - cell: Key columns with the values of the row.
  ///   - others: The option that gives rows by other columns, if any.
  /// - Throws: ``ExplanationError`` if no row or several rows match.
  func row(of cell: [(name: String, value: String)], others: String? = "--by") throws -> [ReportValue] {
    let found = try matchingRows(of: cell, others: others)
    if found.count > 1 { throw severalRows(found) }
    return found[0]
  }

  /// Returns the error that asks for the key columns in which rows differ.
  func severalRows(_ found: [[ReportValue]]) -> ExplanationError {
    let missing = columns.indices.filter { key in
      columns[key].kind == .key && Set(found.map { $0[key] }).count > 1
    }
    return .severalRows(found.count, missing: missing.map { columns[$0].name })
  }

  /// Returns the rows with some keys, at least one.
  ///
  /// - Throws: ``ExplanationError`` if no row matches.
  func matchingRows(of cell: [(name: String, value: String)], others: String? = "--by") throws -> [[ReportValue]] {
    let keys = columns.indices.filter { columns[$0].kind == .key }
    var wanted: [(place: Int, value: String)] = []
    for (name, value) in cell {
      guard let place = keys.first(where: { columns[$0].name == name }) else {
        throw ExplanationError.unknownKey(name, keys.map { columns[$0].name }, others: others)
      }
      // Tables call it otherwise.
      wanted.append((place, value == "no paywall known" ? "(unattributed)" : value))
    }
    let found = rows.filter { row in wanted.allSatisfy { row[$0.place].keyText.utf8.elementsEqual($0.value.utf8) } }
    if found.isEmpty {
      let values = Dictionary(
        uniqueKeysWithValues: keys.map { key in (columns[key].name, rows.map { $0[key].keyText }) })
      throw ExplanationError.noRow(cell, rows: rows.count, values: values)
    }
    return found
  }

  /// Returns a row's key as bytes, because Swift treats canonically equivalent strings, such as é composed and
  /// decomposed, as equal.
  func key(of row: [ReportValue], without name: String? = nil) -> [[UInt8]] {
    zip(columns, row).filter { $0.0.kind == .key && $0.0.name != name }.map { Array($0.1.keyText.utf8) }
  }

  /// Returns the key columns with a row's values.
  public func cell(of row: [ReportValue]) -> [(name: String, value: String)] {
    zip(columns, row).filter { $0.0.kind == .key }.map { ($0.0.name, $0.1.keyText) }
  }

  /// Returns the key columns with a row's values as the whole report has them, of which people read a part.
  public func wholeCell(of row: [ReportValue]) -> [(name: String, value: String)] {
    let isPart = name == "cadence" && !columns.contains { $0.name == "split" }
    return (isPart ? [(name: "split", value: Cadence.seen)] : []) + cell(of: row)
  }

  func value(_ column: String, in row: [ReportValue]) -> ReportValue? {
    place(column).map { row[$0] }
  }

  /// Returns what the rows without a value in a column say in their column `reason`.
  public func reasons(for column: String) -> [String] {
    // The reason of a winback is a key.
    guard let place = columns.firstIndex(where: { $0.name == "reason" && $0.kind == .text }) else { return [] }
    return rows.filter { value(column, in: $0)?.isEmpty ?? false }.map { $0[place].keyText }.filter { !$0.isEmpty }
  }

  /// Returns the place of a column that is not a key.
  ///
  /// - Throws: ``ExplanationError``.
  func place(ofNumber column: String) throws -> Int {
    guard let place = place(column) ?? place(ofHeading: column) else {
      throw ExplanationError.unknownColumn(column, columns.filter { $0.kind != .key }.map(\.name))
    }
    if columns[place].kind == .key { throw ExplanationError.keyColumn(column) }
    return place
  }

  /// Returns the place of the only number that tables print under a heading.
  private func place(ofHeading heading: String) -> Int? {
    guard let kind = ReportKind.of(self) else { return nil }
    let found = columns.indices.filter { place in
      ![.key, .low, .high].contains(columns[place].kind) && kind.info(of: columns[place])?.heading == heading
    }
    return found.count == 1 ? found[0] : nil
  }
}

extension ReportValue {
  var keyText: String {
    if case .text(let text) = self { text } else { "" }
  }

  /// The missing number of the same kind; for texts, an empty one.
  var empty: ReportValue {
    switch self {
    case .money(_, let currency): .money(nil, currency: currency)
    case .estimate(_, let currency): .estimate(nil, currency: currency)
    case .rate: .rate(nil)
    case .probability: .probability(nil)
    case .count, .number: .number(nil)
    case .percent, .text: .percent(nil)
    }
  }

  /// Whether the value is a number that is missing.
  var isEmpty: Bool {
    switch self {
    case .rate(nil), .number(nil), .money(nil, _), .estimate(nil, _), .percent(nil), .probability(nil): true
    default: false
    }
  }
}
