internal import Store

/// The currency of a table with amounts in several: that of most payments, whatever the report counts.
enum MainCurrency {
  /// Whether a currency comes before another: by payments, US dollars first among equals, then by name.
  static func precedes(_ left: (name: String, payments: Int), _ right: (name: String, payments: Int)) -> Bool {
    if left.payments != right.payments { return left.payments > right.payments }
    if (left.name == "USD") != (right.name == "USD") { return left.name == "USD" }
    return precedesInBytes(left.name, right.name)
  }
}

extension Report {
  /// Returns the report with the currency of most payments of its apps and users, on any day, if its rows have several.
  func withMainCurrency(_ snapshot: StoreSnapshot, _ options: ReportOptions) -> Report {
    guard ReportKind.of(self)?.hasPaymentCurrency == true,
      let place = place("currency"), Set(rows.map { $0[place] }).count > 1
    else { return self }
    var plain = options
    (plain.by, plain.from, plain.to, plain.currency, plain.isNative) = ([], nil, nil, nil, true)
    // Payments may have no such filter.
    guard let revenue = (try? Revenue.report(snapshot, plain)).map(ReportRows.init) else { return self }
    var payments: [String: Int] = [:]
    for row in revenue.rows { payments[revenue.text("currency", row), default: 0] += revenue["payments", row] }
    var report = self
    report.mainCurrency = payments.map { (name: $0.key, payments: $0.value) }.min(by: MainCurrency.precedes)?.name
    return report
  }
}
