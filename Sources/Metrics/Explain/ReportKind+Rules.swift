extension ReportKind {
  /// Returns the number of units that a rate is a share of; `nil` unless it is a quotient of counts of the row.
  public func units(of column: ReportColumn, in row: [ReportValue], _ report: Report) -> Int? {
    guard case .ratio(_, let whole)? = sum(of: column) else { return nil }
    return report.count(whole, in: row)
  }

  /// Returns how users add up to a column; the bounds of a rate have the rule of the rate.
  func sum(of column: ReportColumn) -> ColumnSum? { described(column)?.sum }

  /// Returns the column that counts the users or subscriptions followed to the age of a number, such as `at_risk_35` of
  /// `cancelled_35_rate`; `nil` for numbers without an age, and for counts.
  public func followed(_ column: ReportColumn) -> String? {
    guard let number = ColumnInfo.pattern(of: column.name)?.number else { return nil }
    let counted: String
    switch sum(of: column) {
    case .ratio(_, let whole), .mean(let whole): counted = whole
    case .estimate where columnsByName["at_risk_*"] != nil: counted = "at_risk_\(number)"
    case .estimate, .units, .rate, .refused, nil: return nil
    }
    guard ColumnInfo.pattern(of: counted) != nil, let info = described(ReportColumn(counted, .count)) else {
      return nil
    }
    // Those who paid by an age are a part of those who are followed to it.
    return info.others.first { $0.isRest && !$0.isTooRecent }?.columns[0] ?? counted
  }

  /// Returns the rule by which users add up to a column: a quotient, or the units that count.
  func formula(_ column: ColumnInfo) -> String {
    func sums(_ names: String) -> String {
      if let part = described(ReportColumn(names, .count)), case .mean? = part.sum { return part.phrase }
      return names.contains("+") ? "(\(names.replacing("+", with: " + ")))" : names
    }
    return switch column.sum {
    case .ratio(let part, let whole), .rate(let part, let whole): "\(sums(part)) ÷ \(sums(whole))"
    case .mean(let count): "\(column.phrase) ÷ \(count)"
    case .units, .estimate, .refused, nil: column.phrase
    }
  }

  /// Returns the units of a row that a column does not count; those that are too recent for all columns of their unit
  /// come first.
  func others(_ column: ColumnInfo) -> [OtherUnits] {
    func text(_ info: ColumnInfo) -> String { "\(info.phrase) (\(info.rule))" }
    var others: [OtherUnits] = []
    if let young = columnsByName["immature"], young.unit == column.unit, column.sum == .units {
      let old = columns.first { $0.unit == young.unit }
      others =
        column.identifier == young.identifier
        ? old.map { [.units(of: $0.identifier, as: "old enough: counted in \($0.identifier) (\(young.rule))")] } ?? []
        : [OtherUnits(text: text(young), columns: [young.identifier], isTooRecent: true)]
    }
    return others
      + column.others.map { own in
        var own = own
        if own.text.isEmpty, let info = described(ReportColumn(own.columns[0], .count)) { own.text = text(info) }
        return own
      }
  }

  /// Returns the units of a row that a column does not count, also because the column that it is a part of does not.
  func allOthers(_ column: ColumnInfo) -> [OtherUnits] {
    var all: [OtherUnits] = []
    for own in others(column) {
      if !all.contains(own) { all.append(own) }
      guard own.isRest, let whole = described(ReportColumn(own.columns[0], .count)) else { continue }
      all += allOthers(whole).filter { !all.contains($0) }
    }
    return all
  }

  /// Returns whether users add up to the numbers of a column.
  func explains(_ column: ReportColumn) -> Bool {
    guard column.kind != .key, let sum = sum(of: column) else { return false }
    return if case .refused = sum { false } else { true }
  }

  /// Whether a column is the sum of what its row's persons have, so that it is 0 of a row without any.
  public func isSum(_ column: ReportColumn) -> Bool { sum(of: column) == .units }

  /// Whether several rows add up to the number of all: by a sum, or by a quotient of sums.
  public func addsUp(_ column: ReportColumn) -> Bool {
    switch sum(of: column) {
    // The first is a sum; the bounds of the second tell its units.
    case .estimate, .mean, .rate: ["realised_saving", "cumulative_incidence"].contains(column.name)
    // An amount of money for each user is no quotient of two columns.
    case .refused, .ratio: column.kind == .rate
    case .units, nil: true
    }
  }

  /// Returns whether a column counts users in a report whose rows are by currency. Users have no currency, and count in
  /// every currency of their row.
  func isOfPersons(_ column: String) -> Bool {
    switch self {
    case .ltv: column.hasPrefix("persons_")
    case .value: ["users", "paid", "immature"].contains(column)
    default: false
    }
  }

  /// The users whose values make up a column.
  enum Persons {
    /// The row's users.
    case row
    /// Users of the app who are not in the row.
    case others
    /// Users to whom an impression of the row showed prices.
    case shownPrices
  }

  func persons(of column: ReportColumn) -> Persons {
    if self == .gates, column.name.hasPrefix("others") { return .others }
    if case .estimate(let shown)? = sum(of: column), shown.hasSuffix("_impressions") { return .shownPrices }
    return .row
  }

  /// Whether rows and days add up to a whole. They do not if they are states at instants, or if users count in every
  /// currency of their row.
  public var rowsAddUp: Bool { ![.mrr, .subscriptions, .activity, .ltv, .value].contains(self) }
}

extension Report {
  /// The columns whose sums a rate is a quotient of; `nil` where it is none, or of counts that no column has.
  public func quotient(of rate: ReportColumn) -> (parts: [String], wholes: [String])? {
    guard case .ratio(let part, let whole)? = ReportKind.named(name)?.sum(of: rate) else { return nil }
    let (parts, wholes) = (part.split(separator: "+").map(String.init), whole.split(separator: "+").map(String.init))
    return (parts + wholes).allSatisfy { name in columns.contains { $0.name == name } } ? (parts, wholes) : nil
  }
}
