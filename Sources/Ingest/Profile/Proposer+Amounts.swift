internal import Basics
internal import EventModel

/// Chooses between several columns of amounts.
extension Proposer {
  /// Words of columns of amounts in the smallest unit of their currency.
  static let minorWords: Set<String> = [
    "cents", "minor", "centavos", "centimes", "centimos", "céntimos", "centesimi", "pence", "grosze", "öre",
  ]

  /// Words of amounts without the store's share or the tax.
  private static let netWords: Set<String> = [
    "net", "proceeds", "excl", "excluding", "ex", "payout", "earnings", "revenue", "developer", "pretax", "untaxed",
  ]
  /// Words of amounts that a user paid.
  private static let paidWords: Set<String> = [
    "gross", "price", "charged", "paid", "customer", "incl", "including", "total", "amount",
  ]
  /// Words of amounts that are not a price, or are a price in another currency or before a discount.
  private static let otherWords: Set<String> = [
    "tax", "taxes", "vat", "fee", "fees", "commission", "discount", "discounts", "refund", "refunded", "usd", "eur",
    "gbp", "local", "purchased", "presentment", "converted", "list", "original", "base", "regular", "full", "msrp",
    "before", "subtotal", "quantity", "count", "id", "balance", "mrr", "arr", "ltv", "lifetime", "rate", "share",
    "percent", "percentage", "unit", "monthly", "yearly", "weekly", "next", "renewal",
  ]

  /// Takes what users paid, as `gross_amount`, in place of what is left of it, as `net_amount`; warns where two columns
  /// may be the price.
  mutating func chooseCustomerPrice() {
    guard let listed = chosen[.price]?.column, answers.fields[EventField.price.name] == nil else { return }
    chooseAmountsOfTrials(besides: listed)
    guard let price = chosen[.price]?.column, price == listed else { return }
    let taken = Set(chosen.values.map(\.column))
    let own = Set(words(price))
    let isNet = !own.isDisjoint(with: Self.netWords) && !own.contains("gross")
    var open: [Int] = []
    for place in columns.indices where !taken.contains(place) {
      let column = columns[place]
      var words = Set(NameWords.words(of: FieldSynonyms.lastStep(of: column.path)))
      if !words.isDisjoint(with: ["incl", "including", "inclusive"]) { words.subtract(["tax", "taxes", "vat"]) }
      guard !words.isDisjoint(with: Self.paidWords), words.isDisjoint(with: Self.otherWords),
        words.isDisjoint(with: Self.netWords) || words.contains("gross"),
        column.values.contains(where: { !Self.isZero($0.text) }),
        !Self.isFlag(column),
        column.signs.numbers + column.signs.decimalCommas == column.count, column.signs.instants * 2 < column.count,
        let (higher, lower, equal) = compared(place, with: price)
      else { continue }
      if isNet, lower * 20 <= higher, higher > 0 {
        chosen[.price] = (place, 0.8)
        proposal.notes.append(
          "\(column.path) is taken as what users paid, and not \(columns[price].path), which is less; "
            + "`--set \("price=\(columns[price].path)".shellWord)` changes it")
        return
      }
      if (higher + lower) * 20 > higher + lower + equal { open.append(place) }
    }
    guard let other = open.first, !isNet else { return }
    proposal.warnings.append(
      "\(columns[price].path) is read as what users paid, but \(columns[other].path) may be it as well; "
        + "`--set \("price=\(columns[other].path)".shellWord)` reads that")
  }

  /// Takes amounts such as `revenue` that are 0 in the first purchase of some users, and else the price, for what users
  /// paid: those purchases are trials.
  private mutating func chooseAmountsOfTrials(besides price: Int) {
    let kinds = recordKinds()
    guard moments.isEmpty, !kinds.contains(.trialStart), let (user, time) = userAndTime else { return }
    let taken = Set(chosen.values.map(\.column))
    let (users, prices) = (scores.codes(user), Set(columns[price].rows))
    let instants = columns[time].instantOfRow
    for place in columns.indices where !taken.contains(place) {
      let column = columns[place]
      let words = Set(words(place))
      guard !words.isDisjoint(with: Self.paidWords.union(Self.netWords)), words.isDisjoint(with: Self.otherWords),
        !Self.isFlag(column), column.signs.numbers == column.count,
        let (higher, lower, equal) = compared(place, with: price), higher == 0, lower >= 3, equal > 0
      else { continue }
      let zeros = column.codes(where: Self.isZero)
      var (free, first): ([UInt32], [UInt64: Int64]) = ([], [:])
      for (row, amount) in zip(column.rows, column.hashes) where prices.contains(row) {
        guard kinds[Int(row)].map(Self.paid.contains) ?? false, let time = instants[row] else { continue }
        if zeros.contains(amount) {
          free.append(row)
        } else {
          first[users[Int(row)]] = min(first[users[Int(row)]] ?? time, time)
        }
      }
      // Trials come before their users' payments. What was given back may be 0, too, and is not paid again.
      let paid = free.compactMap { row in first[users[Int(row)]].flatMap { paid in instants[row].map { $0 < paid } } }
      let (before, after) = (paid.count { $0 }, paid.count { !$0 })
      guard before >= 3, before * 10 >= free.count, free.count >= lower, after * 10 <= free.count else { continue }
      chosen[.price] = (place, 0.8)
      proposal.warnings.append(
        "\(column.path) is read as what users paid, because it is 0 in \(Self.records(free.count)) of purchases, which are "
          + "read as trials, and else \(columns[price].path); `--set \("price=\(columns[price].path)".shellWord)` reads that"
      )
      return
    }
  }

  /// Returns how often a column's number is higher than another's, lower or equal; `nil` if it lacks many of them.
  private func compared(_ place: Int, with other: Int) -> (higher: Int, lower: Int, equal: Int)? {
    func numbers(_ column: Int) -> [UInt64: Double] {
      let values = columns[column].values.compactMap { value in
        let text = value.text.utf8.contains(UInt8(ascii: ",")) ? value.text.replacing(",", with: ".") : value.text
        return JSONNode.string(text).double.map { (Self.code(of: value.text), $0) }
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

  /// Returns the numbers of records with each amount of the currencies with some decimals.
  func amounts(_ price: Int, ofDecimals isMeant: (Int) -> Bool) -> [String: Int] {
    amounts(price) { code in isMeant(code.flatMap(CurrencyTable.priceDecimals) ?? 2) }
  }

  /// Returns the numbers of records with each amount of some currencies; the code is `nil` where none is known.
  private func amounts(_ price: Int, of isMeant: (String?) -> Bool) -> [String: Int] {
    let texts = columns[price].textOfHash
    let currency = chosen[.currency]?.column
    let codes = currency.map { columns[$0].textOfHash } ?? [:]
    let ofRows = currency.map { scores.codes($0) }
    let only = currency == nil ? answers.currency ?? priceCurrency : nil
    var found: [String: Int] = [:]
    for (row, hash) in zip(columns[price].rows, columns[price].hashes) {
      let code = only ?? ofRows.flatMap { codes[$0[Int(row)]] }.flatMap(CurrencyTable.code)
      guard isMeant(code), let text = texts[hash] else { continue }
      found[text, default: 0] += 1
    }
    return found
  }

  /// Returns whether points part thousands in amounts of currencies without cents, as in 1.500 JPY, and no other amount
  /// has a point.
  func hasPointsInWholeAmounts() -> Bool {
    guard let price = chosen[.price]?.column, columns[price].signs.decimalCommas == 0,
      columns[price].signs.points > 0, columns[price].signs.points == columns[price].signs.pointGroups
    else { return false }
    return amounts(price) { $0 != 0 }.keys.allSatisfy { !$0.contains(".") }
  }

  /// Returns whether most amounts of currencies with cents are whole and end as prices in cents do, as 999 and 4900.
  ///
  /// - Parameter currencies: Those whose amounts count; `nil` for all with cents.
  func looksLikeCents(
    _ price: Int, in currencies: Set<String>? = nil, endings: Set<String> = ["99", "95", "90", "49", "00"]
  ) -> Bool {
    guard columns[price].signs.points == 0, columns[price].signs.decimalCommas == 0 else { return false }
    var (all, meant) = (0, 0)
    let isMeant = { (code: String?) in
      code.map { currencies?.contains($0) ?? ((CurrencyTable.priceDecimals(of: $0) ?? 2) > 0) } ?? true
    }
    for (text, count) in amounts(price, of: isMeant) where !Self.isZero(text) {
      let digits = text.drop { $0 == "-" }
      all += count
      if digits.count >= 3, digits.allSatisfy(\.isNumber), endings.contains(String(digits.suffix(2))) { meant += count }
    }
    return all > 0 && meant * 5 >= all * 4
  }

  /// Currencies in which no subscription costs hundreds.
  private static let dearCurrencies: Set<String> = ["USD", "EUR", "GBP", "CHF", "CAD", "AUD", "NZD", "SGD"]

  /// Whether amounts whose column does not say so are read as cents, as 999 USD for a subscription.
  var readsCents: Bool {
    guard let price = chosen[.price]?.column, answers.values[EventField.price.name] == nil else { return false }
    let words = Set(NameWords.words(of: columns[price].path))
    return words.isDisjoint(with: Self.minorWords.union(["micros"]))
      && looksLikeCents(price, in: Self.dearCurrencies, endings: ["99", "95", "90", "49"])
  }

  /// Notes amounts such as 12,900 that are too large for dollars: whole numbers, of which most are 1,000 or more.
  mutating func noteAmountsWithoutCents(_ price: Int) {
    guard answers.values[EventField.price.name] == nil, answers.fields[EventField.price.name] == nil,
      Set(words(price)).isDisjoint(with: Self.minorWords.union(["micros"])), !readsCents
    else { return }
    let paid = columns[price].values.filter { !Self.isZero($0.text) }
    let large = paid.filter { Self.wholeAmount($0.text).map { abs($0) >= 1_000 } ?? false }
    guard let example = large.max(by: { ($0.count, $1.text) < ($1.count, $0.text) })?.text,
      paid.allSatisfy({ Self.wholeAmount($0.text) != nil }),
      large.reduce(0, { $0 + $1.count }) * 2 > paid.reduce(0, { $0 + $1.count })
    else { return }
    proposal.amountsWithoutCurrency = (columns[price].path, example)
  }

  /// Says what becomes of an amount that the mapping scales, by the most frequent one; `nil` for other amounts.
  func scaled(_ field: EventField, _ column: Int) -> String? {
    guard field == .price || field == .priceUSD,
      let parts = fieldValue(field, column)?.components(separatedBy: "scale: "), parts.count == 2
    else { return nil }
    let scale = String(parts[1].prefix { $0 != "," && $0 != "}" })
    let isMinor = scale == "minor"
    let currency = chosen[.currency] == nil ? answers.currency ?? priceCurrency : nil
    guard !isMinor || currency.flatMap(CurrencyTable.decimals) ?? 2 == 2 else { return nil }
    let found = amounts(column) { !isMinor || $0 == 2 }.filter { !Self.isZero($0.key) }
    guard let example = found.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key,
      let amount = ExactDecimal(example),
      let result = isMinor ? amount.shifted(by: -2) : ExactDecimal(scale).flatMap(amount.times)
    else { return nil }
    return "\(isMinor ? "÷ 100" : "× \(scale)"): \(example) → \(result.text)"
  }

  /// Returns the value of a currency that stands before or behind the amounts; `nil` where not all have one.
  func currencyValue(_ price: Int) -> String? {
    let column = columns[price]
    guard column.signs.currencies == column.count, column.count > 0 else { return nil }
    let texts = column.values.map(\.text)
    let found = CurrencyTable.written.filter { sign, _ in texts.contains { $0.contains(sign) } }
    guard texts.allSatisfy({ text in found.contains { text.contains($0.sign) } }) else { return nil }
    let patterns = found.map { "\"*\($0.sign)*\": \($0.code)" }
    return "{path: \(Self.quoted(column.path)), like: {\(patterns.joined(separator: ", "))}}"
  }

  /// The amount with its currency, as the source of a value.
  var amountSource: String {
    let paths = [chosen[.price], chosen[.currency]].compactMap { $0.map { Self.quoted(columns[$0.column].path) } }
    return "all: [\(paths.joined(separator: ", "))], separator: \" \""
  }

  /// Products and plans by amounts.
  func amountLines() -> [String] {
    let source = amountSource
    let named = productsByAmount.filter { $0.product != $0.amount }
    let products = named.map { "\(Self.quoted($0.amount)): \(Self.quoted($0.product))" }.joined(separator: ", ")
    let plans = productsByAmount.compactMap { entry in
      (answers.plans[entry.amount] ?? entry.plan?.name).map { "\(Self.quoted(entry.amount)): \($0)" }
    }
    return [
      "  product_id: {\(source)\(named.isEmpty ? "" : ", values: {\(products)}")}  # by the amount",
      "  plan: {\(source), values: {\((plans + ["\"*\": null"]).joined(separator: ", "))}}",
    ]
  }

  /// Warns of the names without a kind whose records have amounts: they may be payments. If they are at least a tenth of
  /// all payments then, these are left out.
  mutating func noteAmounts() {
    guard moments.isEmpty, !isOfOneKind, let price = chosen[.price]?.column else { return }
    let names = recordNames()
    let users = chosen[.userID].map { scores.codes($0.column) } ?? []
    let zeros = columns[price].codes(where: Self.isZero)
    var rows: [Int?: [Int]] = [:]
    for (row, amount) in zip(columns[price].rows, columns[price].hashes) where !zeros.contains(amount) {
      rows[names[Int(row)], default: []].append(Int(row))
    }
    let paid = recordKinds().count { $0.map(Self.paid.contains) ?? false }
    for (place, found) in proposal.names.enumerated() where isOpen(found) && !found.isToldByOthers {
      let own = rows[place] ?? []
      guard own.count * 2 > found.count, !KindWords.isFailure(found.name) else { continue }
      let isOfOneEach = !users.isEmpty && Set(own.map { users[$0] }).count * 50 >= own.count * 49
      let isRefund = isOfOneEach && followAmounts(own, rows.filter { $0.key != place }.flatMap(\.value))
      if KindWords.isHeld(found.name) || KindWords.isReversal(found.name) && !isRefund { continue }
      let isLeftOut =
        found.count * 10 >= found.count + paid && !KindWords.isIntent(found.name)
        && (areSold(own) || !plansInNames.isEmpty)
      let (kind, others) =
        isRefund
        ? (EventKind.refund, "or with =renewal if it names later payments")
        : isOfOneEach
          ? (.conversion, "or with =payment if it names renewals, too")
          : (.payment, "or with =conversion if it names first payments alone")
      let option = "--event '\(found.name)=\(kind.name)'"
      proposal.warnings.append(
        "\(found.name) (\(Self.records(found.count))): left out, though its records have amounts; "
          + "count them with `\(option)`, \(others); `=ignore` if nothing is paid")
      if isLeftOut || isRefund { proposal.options.append(option) }
      if isLeftOut, !isRefund {
        proposal.leftOut.append(Proposal.LeftOut(name: found.name, kind: kind, count: found.count))
      }
    }
  }

  /// Returns whether nearly all of some records come within four weeks, and so before a renewal, after one of others of
  /// their user.
  private func followAmounts(_ rows: [Int], _ others: [Int]) -> Bool {
    guard let (user, time) = userAndTime else { return false }
    let (users, times) = (scores.codes(user), columns[time].instantOfRow)
    let paid = Dictionary(grouping: others) { users[$0] }
    let most = 27 * Instant.millisecondsPerDay
    let count = rows.count { row in
      paid[users[row]]?.contains { other in
        guard let ts = times[UInt32(row)], let earlier = times[UInt32(other)] else { return false }
        return (0..<most).contains(ts - earlier)
      } ?? false
    }
    return count * 10 >= rows.count * 9
  }

  /// Returns whether nearly all of some records have a product and a currency, as far as columns give these; one must.
  func areSold(_ rows: [Int]) -> Bool {
    let sold = [EventField.productID, .currency].compactMap { chosen[$0]?.column }
    return !sold.isEmpty
      && sold.allSatisfy { column in
        let filled = Set(columns[column].rows)
        return rows.count { filled.contains(UInt32($0)) } * 20 >= rows.count * 19
      }
  }
}
