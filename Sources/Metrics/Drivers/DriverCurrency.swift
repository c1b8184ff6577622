/// The one currency of the amounts whose change is split.
struct DriverCurrency {
  /// ISO 4217; empty as long as there are no amounts.
  private(set) var currency = ""

  /// The decimals of printed amounts.
  var decimals: Int { moneyDecimals(currency) }

  /// - Parameter names: The currencies of further amounts.
  /// - Throws: ``ReportError/severalCurrencies(_:_:)`` if there are now several.
  mutating func settle(on names: Set<String>) throws {
    let names = names.union(currency.isEmpty ? [] : [currency])
    if names.count > 1 {
      throw ReportError.severalCurrencies(
        names.sorted(by: precedesInBytes),
        "load exchange rates with `tollgate rates import FILE`, or narrow the report to one currency, such as by "
          + "--where country=US")
    }
    currency = names.first ?? currency
  }
}
