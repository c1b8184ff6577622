internal import EventModel

/// Reads what names of columns say besides their field: an experiment, a currency.
extension Proposer {
  // MARK: Experiments

  /// Chooses the column of variants whose name is that of its experiment, if no column is named after variants.
  ///
  /// - Returns: The columns that are named after an experiment.
  mutating func chooseNamedExperiment(except required: Set<Int>) -> [Int] {
    let isNamed = columns.contains { FieldSynonyms.score(of: $0.path, for: .variant) >= 0.9 }
    let found = columns.indices.compactMap { place -> (column: Int, name: String)? in
      guard !required.contains(place), let name = Self.experiment(of: columns[place].path),
        Self.hasVariants(columns[place])
      else { return nil }
      return (place, name)
    }
    guard !found.isEmpty, answers.fields[EventField.experiment.name] == nil else { return [] }
    let given = answers.fields[EventField.variant.name].flatMap { column($0) }
    if given == nil, isNamed { return found.map(\.column) }
    guard
      let best = found.first(where: { $0.column == given })
        ?? (given == nil ? found.max { columns[$0.column].count < columns[$1.column].count } : nil)
    else { return [] }
    if given == nil { chosen[.variant] = (best.column, 0.8) }
    experimentName = best.name
    let others = found.filter { $0.column != best.column }.map { columns[$0.column].path }
    if !others.isEmpty, given == nil {
      proposal.warnings.append(
        "\(columns[best.column].path) is read as the variants of \(best.name); other experiments are left out: "
          + others.map { "`--set variant=\($0)`" }.joined(separator: ", ") + " reads another one instead")
    }
    return found.map(\.column)
  }

  /// Objects whose members are named after experiments.
  private static let experimentObjects: Set<String> = [
    "flags", "feature_flags", "featureflags", "experiments", "ab_tests", "abtests", "tests",
  ]
  /// Words before an experiment in the name of a column.
  private static let experimentPrefixes = ["$feature/", "exp_", "experiment_", "ab_", "abtest_", "ab_test_"]

  /// Returns the experiment in the name of a column: of `flags.X`, `$feature/X`, `exp_X`, X.
  private static func experiment(of path: String) -> String? {
    let name = FieldSynonyms.lastStep(of: path)
    let steps = path.split(separator: ".").map { $0.lowercased() }
    var found: String?
    if steps.count > 1, !path.contains("["), experimentObjects.contains(steps[steps.count - 2]) { found = name }
    for prefix in experimentPrefixes where name.lowercased().hasPrefix(prefix) {
      found = String(name.dropFirst(prefix.count))
    }
    guard let found, found.count > 1 else { return nil }
    let words = NameWords.words(of: found)
    let isOther =
      words.allSatisfy { ["id", "name", "key", "type", "date", "version", "group", "value"].contains($0) }
      || FieldSynonyms.score(of: found, for: .variant) > 0
    return isOther ? nil : found
  }

  /// Values that tell a column of variants.
  private static let variants: Set<String> = [
    "control", "treatment", "baseline", "original", "a", "b", "on", "off", "true", "false", "variant", "test",
  ]

  private static func hasVariants(_ column: ColumnProfile) -> Bool {
    (1...20).contains(column.exactDistinct)
      && column.values.contains { value in
        variants.contains(value.text.lowercased())
          || NameWords.words(of: value.text).contains { ["control", "variant", "treatment"].contains($0) }
      }
  }

  // MARK: Currency

  /// Takes the amounts in a column such as `priceUsd` as the prices where there are no others, and the currency that the
  /// name of the column of prices says where no column has it.
  mutating func choosePriceCurrency() {
    if chosen[.price] == nil, let dollars = chosen[.priceUSD] {
      chosen[.price] = dollars
      chosen[.priceUSD] = nil
    }
    guard let price = chosen[.price]?.column, chosen[.currency] == nil, answers.currency == nil else { return }
    let words = NameWords.words(of: FieldSynonyms.lastStep(of: columns[price].path))
    priceCurrency = words.last.map { $0.uppercased() }.flatMap { CurrencyTable.isCode($0) ? $0 : nil }
    if priceCurrency == nil, columns[price].path.contains("€") { priceCurrency = "EUR" }
  }
}
