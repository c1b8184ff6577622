extension ColumnRule {
  /// The rules of the columns, by report and name.
  static let ofReports: [String: [String: ColumnRule]] = [
    "funnel": funnel, "paths": paths, "trials": trials, "savings": savings, "cancellations": cancellations,
    "revenue": revenue,
    "mrr": mrr, "subscriptions": subscriptions, "retention": retention, "ltv": ltv, "value": value, "refunds": refunds,
    "recovery": recovery, "saves": saves, "winback": winback,
    "cadence": cadence, "gates": gates, "nudges": nudges, "activity": activity,
  ]
}

extension ReportKind {
  /// Returns the number of units that a rate is a share of; `nil` unless it is a quotient of counts of the row.
  public func units(of column: ReportColumn, in row: [ReportValue], _ report: Report) -> Int? {
    guard case .ratio(_, let whole)? = rule(of: column)?.kind else { return nil }
    return report.count(whole, in: row)
  }

  /// The rule of a column; the bounds of a rate have that of the rate.
  func rule(of column: ReportColumn) -> ColumnRule? {
    var name = column.name
    if column.kind == .low || column.kind == .high {
      name = String(name.dropLast(column.kind == .low ? "_low".count : "_high".count))
    }
    if let rule = rules[name] { return rule }
    if self == .paths { return ColumnRule.ofStep(name) }
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    guard let place = parts.firstIndex(where: { Int($0) != nil }) else { return nil }
    var general = parts.map(String.init)
    general[place] = "*"
    return rules[general.joined(separator: "_")]?.with(number: String(parts[place]))
  }

  /// Returns whether users add up to the numbers of a column.
  func explains(_ column: ReportColumn) -> Bool {
    guard column.kind != .key, let rule = rule(of: column) else { return false }
    if case .refused = rule.kind { return false }
    return true
  }

  /// Whether a column is the sum of what its row's persons have, so that it is 0 of a row without any.
  public func isSum(_ column: ReportColumn) -> Bool {
    if case .sum? = rule(of: column)?.kind { return true }
    return false
  }

  /// Whether several rows add up to the number of all: by a sum, or by a quotient of sums.
  public func addsUp(_ column: ReportColumn) -> Bool {
    switch rule(of: column)?.kind {
    // The first is a sum; the bounds of the second tell its units.
    case .estimate, .mean, .rate: ["realised_saving", "cumulative_incidence"].contains(column.name)
    // An amount of money for each user is no quotient of two columns.
    case .refused, .ratio: column.kind == .rate
    case .sum, nil: true
    }
  }

  /// The topics of a person's events that decide.
  var topics: Set<EventTopic> {
    switch self {
    case .funnel: [.entry, .impressions, .trials, .purchases]
    case .paths: [.entry, .impressions, .sheets, .trials, .purchases]
    case .trials: [.impressions, .trials, .autoRenewal]
    case .savings: [.impressions, .payments]
    case .cancellations: [.impressions, .trials, .payments, .refunds, .autoRenewal, .ends]
    case .revenue, .refunds: [.impressions, .payments, .refunds]
    case .mrr, .retention: [.impressions, .payments, .refunds, .ends]
    case .subscriptions: [.impressions, .trials, .payments, .refunds, .autoRenewal, .ends]
    case .recovery, .saves, .winback: [.impressions, .trials, .payments, .refunds, .autoRenewal, .ends]
    case .ltv: [.first, .entry, .payments, .refunds]
    case .value: [.entry, .trials, .payments, .refunds]
    case .cadence: [.views, .impressions, .trials, .purchases, .autoRenewal]
    case .gates: [.first, .gates, .entry, .trials, .purchases]
    case .nudges: [.trials, .nudges, .autoRenewal]
    case .activity: [.activity, .entry, .trials, .payments]
    default: []
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
    switch self {
    case .gates where column.name.hasPrefix("others"): .others
    case .savings where ColumnRule.prices.contains(column.name): .shownPrices
    default: .row
    }
  }

  /// Whether rows and days add up to a whole. They do not if they are states at instants, or if users count in every
  /// currency of their row.
  public var rowsAddUp: Bool { ![.mrr, .subscriptions, .activity, .ltv, .value].contains(self) }
}

extension Report {
  /// The columns whose sums a rate is a quotient of; `nil` where it is none, or of counts that no column has.
  public func quotient(of rate: ReportColumn) -> (parts: [String], wholes: [String])? {
    guard let rule = ReportKind.named(name)?.rule(of: rate), case .ratio(let part, let whole) = rule.kind
    else {
      return nil
    }
    let (parts, wholes) = (part.split(separator: "+").map(String.init), whole.split(separator: "+").map(String.init))
    return (parts + wholes).allSatisfy { name in columns.contains { $0.name == name } } ? (parts, wholes) : nil
  }
}
