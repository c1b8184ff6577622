internal import Basics
internal import EventModel

/// Chooses between several columns of amounts.
extension Proposer {
  /// Words of amounts without the store's share or the tax.
  private static let netWords: Set<String> = [
    "net", "proceeds", "excl", "excluding", "ex", "payout", "earnings", "revenue", "developer", "pretax", "untaxed",
  ]
  /// Words of amounts that a user paid.
  private static let paidWords: Set<String> = [
    "gross", "price", "charged", "paid", "customer", "incl", "including", "total", "amount",
  ]
  /// Words of amounts that are no price, or a price in another currency or before a discount.
  private static let otherWords: Set<String> = [
    "tax", "taxes", "vat", "fee", "fees", "commission", "discount", "discounts", "refund", "refunded", "usd", "eur",
    "gbp", "local", "purchased", "presentment", "converted", "list", "original", "base", "regular", "full", "msrp",
    "before", "subtotal", "quantity", "count", "id", "balance", "mrr", "arr", "ltv", "lifetime", "rate", "share",
    "percent", "percentage", "unit", "monthly", "yearly", "weekly", "next", "renewal",
  ]

  /// Takes what users paid, as `gross_amount`, in place of what is left of it, as `net_amount`; warns where two columns may
  /// be the price.
  mutating func chooseCustomerPrice() {
    guard let price = chosen[.price]?.column, answers.fields[EventField.price.name] == nil else { return }
    let taken = Set(chosen.values.map(\.column))
    let own = Set(words(price))
    let isNet = !own.isDisjoint(with: Self.netWords) && !own.contains("gross")
    var open: [Int] = []
    for place in columns.indices where !taken.contains(place) {
      let column = columns[place]
      var words = Set(NameWords.words(of: FieldSynonyms.lastStep(of: column.path)))
      if !words.isDisjoint(with: ["incl", "including", "inclusive"]) { words.subtract(["tax", "taxes", "vat"]) }
      guard !words.isDisjoint(with: Self.paidWords), words.isDisjoint(with: Self.otherWords),
        words.isDisjoint(with: Self.netWords) || words.contains("gross"), column.count > 0,
        !Self.isFlag(column),
        column.signs.numbers + column.signs.decimalCommas == column.count, column.signs.instants * 2 < column.count,
        let (higher, lower, equal) = compared(place, with: price)
      else { continue }
      if isNet, lower * 20 <= higher, higher > 0 {
        chosen[.price] = (place, 0.8)
        proposal.notes.append(
          "\(column.path) is taken as what users paid, and not \(columns[price].path), which is less; "
            + "`--set price=\(columns[price].path)` changes it")
        return
      }
      if (higher + lower) * 20 > higher + lower + equal { open.append(place) }
    }
    guard let other = open.first, !isNet else { return }
    proposal.warnings.append(
      "\(columns[price].path) is read as what users paid, but \(columns[other].path) may be it as well; "
        + "`--set price=\(columns[other].path)` reads that")
  }

  /// Returns how often a column's number is higher than another's, lower or equal; `nil` if it lacks many of them.
  private func compared(_ place: Int, with other: Int) -> (higher: Int, lower: Int, equal: Int)? {
    func numbers(_ column: Int) -> [UInt64: Double] {
      let values = columns[column].values.compactMap { value in
        JSONNode.string(value.text.replacing(",", with: ".")).double.map { (Self.code(of: value.text), $0) }
      }
      return Dictionary(values) { first, _ in first }
    }
    let (own, others) = (numbers(place), numbers(other))
    let codes = scores.codes(place)
    var (higher, lower, equal) = (0, 0, 0)
    for (row, hash) in zip(columns[other].rows, columns[other].hashes) {
      guard let left = own[codes[Int(row)]], let right = others[hash] else { continue }
      if left > right { higher += 1 } else if left < right { lower += 1 } else { equal += 1 }
    }
    return (higher + lower + equal) * 100 >= columns[other].count * 95 ? (higher, lower, equal) : nil
  }

  /// Returns whether most amounts are whole and end as prices in cents do, as 999 and 4900.
  func looksLikeCents(_ column: ColumnProfile) -> Bool {
    guard column.signs.points == 0, column.signs.decimalCommas == 0 else { return false }
    let endings = ["99", "95", "90", "49", "00"]
    var (all, meant) = (0, 0)
    for value in column.values where !Self.isZero(value.text) {
      let digits = value.text.drop { $0 == "-" }
      all += value.count
      if digits.count >= 3, digits.allSatisfy(\.isNumber), endings.contains(String(digits.suffix(2))) {
        meant += value.count
      }
    }
    return all > 0 && meant * 5 >= all * 4
  }
}
