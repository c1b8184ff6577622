internal import EventModel

/// Says what may make a number wrong though it looks right.
extension Proposer {
  mutating func warn() {
    warnOfTrials()
    warnOfCents()
    warnOfFormats()
  }

  /// Purchases that may be trials.
  private mutating func warnOfTrials() {
    for split in splits where split.lacksLength {
      proposal.warnings.append(
        "\(Self.records(split.rows.count)) with \(text(of: split)) are trials and are left out, because no column says how "
          + "long they are; `--set trial_days=7` takes them, each with this length")
    }
    let kinds = recordKinds()
    if let price = chosen[.price]?.column, !splits.contains(where: { $0.column == price && $0.kind == .trialStart }) {
      let zeros = Set(columns[price].values.map(\.text).filter(Self.isZero).map(Self.code))
      let count = zip(columns[price].rows, columns[price].hashes).count { row, hash in
        zeros.contains(hash) && [.conversion, .payment].contains(kinds[Int(row)])
      }
      if count > 0 {
        proposal.warnings.append(
          "\(Self.records(count)) of purchases have the price 0 and count as purchases; if they are trials, give them a "
            + "`when` in the mapping (tollgate mapping --help)")
      }
    }
    let used = Set(chosen.values.map(\.column) + splits.map(\.column) + moments.map(\.column) + flags.map(\.column))
    guard kinds.contains(where: { $0 == .conversion || $0 == .payment }), splits.allSatisfy({ $0.kind != .trialStart })
    else { return }
    for (place, column) in columns.enumerated() where !used.contains(place) {
      let words = NameWords.words(of: FieldSynonyms.lastStep(of: column.path))
      guard words.contains("trial"), column.count > 0, !kinds.contains(.trialStart) || Self.isFlag(column) else {
        continue
      }
      proposal.warnings.append(
        "\(column.path) is not used: if it says which purchases are trials, give these a `when` in the mapping (tollgate "
          + "mapping --help)")
    }
  }

  private func text(of split: RecordSplit) -> String {
    String(split.condition.dropFirst().dropLast()).replacing("\"", with: "").replacing(": ", with: " = ")
  }

  /// Prices that look like cents.
  private mutating func warnOfCents() {
    guard let price = chosen[.price]?.column, answers.values[EventField.price.name] == nil else { return }
    let column = columns[price]
    let words = NameWords.words(of: column.path)
    if words.contains("cents") || words.contains("minor") { return }
    let codes = chosen[.currency].map { columns[$0.column].values.map(\.text) } ?? []
    if codes.contains(where: { CurrencyTable.decimals(of: $0) == 0 }) { return }
    let amounts = column.values.map { $0.text.drop { $0 == "-" } }.filter { !Self.isZero(String($0)) }
    let endings = ["99", "95", "90", "49", "00"]
    guard !amounts.isEmpty,
      amounts.allSatisfy({ $0.count >= 3 && $0.allSatisfy(\.isNumber) && endings.contains(String($0.suffix(2))) })
    else { return }
    let example = column.examples.first { !Self.isZero($0) } ?? ""
    proposal.warnings.append(
      "\(column.path): \(example) is read as \(example) and not as cents; if these are cents: "
        + "--set 'price={path: \(Self.quoted(column.path)), scale: minor}'")
  }

  /// Columns of times whose form is not known.
  private mutating func warnOfFormats() {
    guard chosen[.ts] == nil else { return }
    let found = columns.indices.max {
      FieldSynonyms.score(of: columns[$0].path, for: .ts) < FieldSynonyms.score(of: columns[$1].path, for: .ts)
    }
    guard let found, FieldSynonyms.score(of: columns[found].path, for: .ts) >= 0.5,
      columns[found].signs.instants * 2 < columns[found].count, let example = columns[found].examples.first
    else { return }
    let isSerial = columns[found].values.allSatisfy { Double($0.text).map { (35_000...60_000).contains($0) } ?? false }
    proposal.unreadTime =
      isSerial
      ? "\(columns[found].path) looks like the time, but \(example) is a day of a spreadsheet: format the column as "
        + "yyyy-mm-dd hh:mm:ss there, and save it again"
      : "\(columns[found].path) looks like the time, but the form of \(example) is not known: give its pattern, such as "
        + "`--dates 'yyyy/MM/dd HH:mm:ss'` or `--dates yyyyMMddHHmmss`"
  }
}
