internal import Store

extension ReportOptions {
  /// Makes a report in one currency (definitions 1.4): the requested one, or US dollars if all its payments and refunds
  /// have rates. Otherwise each amount keeps its own currency, with a note on the missing rates.
  func inOneCurrency<Made>(_ snapshot: StoreSnapshot, _ make: (ReportOptions) throws -> Made) throws -> Made {
    if currency != nil || isNative { return try make(self) }
    var native = self
    native.isNative = true
    let currencies = try snapshot.paymentCurrencies().sorted(by: precedesInBytes)
    if currencies.allSatisfy({ $0 == "USD" }) { return try make(native) }
    guard try snapshot.tellsRates() else {
      if currencies.count > 1 { native.missingRates = currencies.filter { $0 != "USD" } }
      return try make(native)
    }
    var dollars = self
    dollars.currency = "USD"
    do {
      return try make(dollars)
    } catch ReportError.missingRates(_, let missing) {
      native.missingRates = missing.map(\.description)
      return try make(native)
    }
  }

  /// The reason why amounts are in their own currencies; `nil` if that was requested, or if they are in one.
  var currencyNote: String? {
    if missingRates.isEmpty { return nil }
    return
      "Amounts are in their own currencies, because these exchange rates are missing: \(missingRates.joined(separator: "; ")). "
      + "Import them with `tollgate rates import FILE`; the file has the columns date,currency,usd_per_unit (1.4)"
  }

  /// Returns these options with the currency of a report, so that further reports use it too.
  func settled(by report: Report) -> ReportOptions {
    guard currency == nil, let found = report.parameters.first(where: { $0.name == "currency" })?.value else {
      return self
    }
    var options = self
    if found == "native" { options.isNative = true } else { options.currency = found }
    return options
  }
}
