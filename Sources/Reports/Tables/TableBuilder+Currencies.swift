import Metrics

extension TableBuilder {
  /// Whether the table has rows for each currency: where that was asked for, and where a row would otherwise be missing.
  static func needsCurrencies(_ report: Report) -> Bool {
    guard let place = report.place(ofKey: "currency"),
      let main = currency(report), report.rows.contains(where: { isForeign($0[place], to: main) })
    else { return false }
    if report.keepsCurrencies { return true }
    let keys = report.columns.indices.filter { report.columns[$0].kind == .key && $0 != place }
    func key(_ row: [ReportValue]) -> [String] { keys.map { row[$0].textValue ?? "" } }
    let kept = Set(report.rows.filter { $0[place].textValue == main }.map(key))
    return report.rows.contains { isForeign($0[place], to: main) && !kept.contains(key($0)) }
  }

  /// Whether a row's currency is another than the main one; a row without payments has none.
  static func isForeign(_ currency: ReportValue, to main: String) -> Bool {
    currency != .text(main) && currency != .text("(none)")
  }

  /// The currency of the table: that of most payments; `nil` where the report has none.
  static func currency(_ report: Report) -> String? {
    guard let place = report.place(ofKey: "currency") else { return nil }
    if let main = report.mainCurrency, report.rows.contains(where: { $0[place] == .text(main) }) { return main }
    let counts = report.columns.indices.filter { place in
      report.columns[place].kind == .count && !report.columns[place].name.hasPrefix("users")
    }
    var sizes: [String: Int] = [:]
    for row in report.rows {
      let size = counts.reduce(1) { sum, place in
        if case .count(let count) = row[place] { sum + count } else { sum }
      }
      sizes[row[place].textValue ?? "", default: 0] += size
    }
    return sizes.max { left, right in
      if left.value != right.value { return left.value < right.value }
      return right.key == "USD" || (left.key != "USD" && left.key > right.key)
    }?.key
  }

  func otherCurrencies(_ others: [[ReportValue]], _ place: Int, _ options: RenderOptions) -> String? {
    if others.isEmpty { return nil }
    let added = ["revenue": "revenue", "mrr": "closing", "refunds": "refunded_amount"][report.name].flatMap {
      places[$0]
    }
    let byCurrency = Dictionary(grouping: others) { $0[place].textValue ?? "" }
    let isState = report.name == "mrr"
    let mode = report.parameters.first { $0.name == "mode" }?.value ?? "net"
    let word = report.name == "refunds" ? "refunded" : mode
    let parts = byCurrency.keys.sorted().compactMap { currency -> String? in
      guard let added, !isState else { return text(currency) }
      let sum = byCurrency[currency]?.reduce(Int128(0)) { sum, row in
        if case .money(let amount?, _) = row[added] { sum + amount } else { sum }
      }
      // A currency in which nothing was refunded adds nothing.
      if report.name == "refunds", sum == 0 { return nil }
      func amount(_ sum: Int128?) -> String {
        ReportValue.money(sum, currency: currency).readableNumber(percentDecimals: 1) ?? ""
      }
      if report.name == "revenue", mode != "gross", let gross = places["gross"] {
        let whole = byCurrency[currency]?.reduce(Int128(0)) { sum, row in
          if case .money(let amount?, _) = row[gross] { sum + amount } else { sum }
        }
        if whole == sum { return "\(text(currency)) \(amount(sum))" }
        return "\(text(currency)) \(amount(whole)) gross (\(amount(sum)) \(mode))"
      }
      return "\(text(currency)) \(amount(sum))"
    }
    if parts.isEmpty { return nil }
    if report.name == "savings" {
      return "\"Took yearly\" is of buyers in \(currency.map(text) ?? "one currency"). "
        + (options.isForPage ? "Also priced in \(listText(parts))." : "For \(listText(parts)): --columns +currency.")
    }
    // Every user counts, whatever the currency of the payments (7.5).
    if ["value", "value_pairs", "ltv"].contains(report.name) {
      return "Payments in \(listText(parts)) are missing, but not their users: \(missingRates)"
    }
    return added == nil || isState
      ? "Also in \(listText(parts)); \(missingRates)"
      : "Also \(listText(parts))\(report.name == "revenue" && mode != "gross" ? "" : " \(word)"); \(missingRates)"
  }

  /// Says how to get amounts in one currency: which rates are missing, if there are any.
  var missingRates: String {
    guard let first = report.missingRates.first, first.contains(" on ") else {
      return "add rates with `tollgate rates import`."
    }
    let rest = report.missingRates.count - 1
    let others = rest == 0 ? "" : ", and for \(countText(rest)) more \(rest == 1 ? "currency" : "currencies")"
    return "rates are missing for \(text(first))\(others). A rate holds for its day and the next 7."
  }
}
