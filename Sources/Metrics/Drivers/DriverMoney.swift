internal import Lifecycle
internal import Store

/// Payments and refunds as the units of a search (definitions 10.1).
struct DriverMoney {
  /// A sum of money whose change can be split: the column of `revenue`.
  enum Column: String, CaseIterable {
    /// Of payments.
    case gross
    /// Of refunds.
    case refunded
    /// Of payments less refunds, or as `--mode` says.
    case revenue
  }

  let column: Column
  /// Whose payments are left out.
  private let user: Int32?
  /// By currency, the rate of its amounts in place of that of their days.
  private let rates: [String: Double]

  init(_ column: Column, without user: Int32? = nil, at rates: [String: Double] = [:]) {
    (self.column, self.user, self.rates) = (column, user, rates)
  }

  /// Returns one side's units of each app by values of the dimensions that options name.
  ///
  /// - Parameters:
  ///   - options: In one currency; see ``ReportOptions/settled(by:)``.
  ///   - money: The currency of both sides.
  /// - Throws: ``OptionError`` if amounts are in several currencies.
  func sides(
    _ snapshot: StoreSnapshot, _ options: ReportOptions, _ money: inout DriverCurrency
  ) throws -> [String: DriverCounts.Side] {
    let query = try ReportQuery(snapshot, options, by: .revenue)
    var counts: [(count: DriverCounts.Count, amounts: [Int: Int])] = []
    var users: [Int: [Int32: Int]] = [:]
    var currencies: Set<Int64> = []
    var names: [NameID: String] = [:]
    var exchange: [Int: [NameID: DriverExchange.Amounts]] = [:]
    let keys = try Revenue.forEachUnit(query) { unit in
      guard unit.person != user, let parts = amount(of: unit, options.mode) else { return }
      var amount = Int(roundedToOdd(parts, dividedBy: ReportCurrency.parts))
      if options.currency != nil {
        let own = unit.own
        let name = names[own.currency] ?? query.facts.name(Int(own.currency))
        names[own.currency] = name
        let converted = Int(roundedToOdd(unit.amount, dividedBy: ReportCurrency.parts))
        exchange[unit.row, default: [:]][own.currency, default: DriverExchange.Amounts()].add(
          own: own.amount, converted: converted, counted: amount)
        if let rate = rates[name], converted != 0 {
          amount = Int((Double(amount) * rate * Double(own.amount) / Double(converted)).rounded())
        }
      }
      currencies.insert(unit.currency)
      while counts.count <= unit.row { counts.append((DriverCounts.Count(), [:])) }
      counts[unit.row].count =
        counts[unit.row].count + DriverCounts.Count(units: 1, sum: amount, squares: Double(amount) * Double(amount))
      counts[unit.row].amounts[amount, default: 0] += 1
      users[unit.row, default: [:]][unit.person, default: 0] += amount
    }
    try money.settle(on: Set(currencies.map { options.currency ?? query.facts.name(Int($0)) }))
    var sides: [String: DriverCounts.Side] = [:]
    for (place, counted) in counts.enumerated() where counted.count.units > 0 {
      let labels = query.labels(keys[place])
      sides[labels[0], default: DriverCounts.Side()].rows.append(
        DriverCounts.Row(values: Array(labels.dropFirst()), count: counted.count, amounts: counted.amounts))
      sides[labels[0], default: DriverCounts.Side()].users.merge(users[place] ?? [:], uniquingKeysWith: +)
      for (currency, amounts) in exchange[place] ?? [:] {
        sides[labels[0], default: DriverCounts.Side()].amounts[names[currency] ?? "", default: .init()] += amounts
      }
    }
    return sides
  }

  private func amount(of unit: Revenue.Unit, _ mode: ReportOptions.Mode) -> Int128? {
    switch column {
    case .gross: return unit.isRefund ? nil : unit.amount
    case .refunded: return unit.isRefund ? unit.amount : nil
    case .revenue:
      if mode == .gross { return unit.isRefund ? nil : unit.amount }
      let amount = mode == .proceeds ? unit.proceeds : unit.amount
      return unit.isRefund ? -amount : amount
    }
  }
}
