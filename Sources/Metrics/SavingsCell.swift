internal import EventModel

/// The prices that purchases paid, by variant (definitions 5.2).
struct PaidPrices {
  struct OfVariant {
    var monthly: [Int64: (count: Int, newest: Int64)] = [:]
    var yearly: [Int64: (count: Int, newest: Int64)] = [:]

    var monthlyCount: Int { monthly.values.reduce(0) { $0 + $1.count } }
    var yearlyCount: Int { yearly.values.reduce(0) { $0 + $1.count } }
  }

  private var byVariant: [String: OfVariant] = [:]

  mutating func add(variant: String, plan: Plan, price: Int64, count: Int, newest: Int64) {
    func merged(_ old: (count: Int, newest: Int64)?) -> (count: Int, newest: Int64) {
      (count + (old?.count ?? 0), max(newest, old?.newest ?? .min))
    }
    if plan == .monthly {
      byVariant[variant, default: OfVariant()].monthly[price] = merged(byVariant[variant]?.monthly[price])
    } else {
      byVariant[variant, default: OfVariant()].yearly[price] = merged(byVariant[variant]?.yearly[price])
    }
  }

  /// The prices of the variant with the most purchases; of equals the first in byte order.
  var leadingVariant: OfVariant? {
    byVariant.min { left, right in
      let counts = (
        left.value.monthlyCount + left.value.yearlyCount, right.value.monthlyCount + right.value.yearlyCount
      )
      return counts.0 != counts.1 ? counts.0 > counts.1 : precedesInBytes(left.key, right.key)
    }?.value
  }
}

/// A cell of the savings report.
struct SavingsCell {
  private struct Pair: Hashable {
    var monthly: Int64
    var yearly: Int64
  }

  private var pairs: [Pair: (count: Int, newest: Int64)] = [:]
  private var purchases: [Plan: Int] = [:]
  /// Of yearly purchases above 0.
  private var yearlyPaid: (count: Int, total: Int128) = (0, 0)
  /// Monthly spells by the number of their payments.
  private var monthlySpells: [Int: (churned: Int, going: Int)] = [:]
  private var paid: (monthly: Int64?, yearly: Int64?, source: String)?

  mutating func show(monthly: Int64, yearly: Int64, count: Int, newest: Int64) {
    pairs[Pair(monthly: monthly, yearly: yearly)] = (count, newest)
  }

  mutating func buy(_ plan: Plan, price: Int64, payments: Int, isChurned: Bool, count: Int) {
    purchases[plan, default: 0] += count
    if plan == .yearly && price > 0 {
      yearlyPaid.count += count
      yearlyPaid.total += Int128(price) * Int128(count)
    }
    if plan == .monthly {
      if isChurned {
        monthlySpells[payments, default: (0, 0)].churned += count
      } else {
        monthlySpells[payments, default: (0, 0)].going += count
      }
    }
  }

  mutating func take(_ prices: PaidPrices.OfVariant, source: String) {
    let monthly = Self.mostOften(prices.monthly)
    let yearly = Self.mostOften(prices.yearly)
    if monthly != nil || yearly != nil { paid = (monthly, yearly, source) }
  }

  /// The pair shown most often; of equals the newest (definitions 5.1).
  var shownPair: (monthly: Int64, yearly: Int64)? { Self.mostOften(pairs).map { ($0.monthly, $0.yearly) } }

  private static func mostOften<Key: Hashable>(_ counts: [Key: (count: Int, newest: Int64)]) -> Key? {
    counts.max { left, right in
      if left.value.count != right.value.count { return left.value.count < right.value.count }
      if left.value.newest != right.value.newest { return left.value.newest < right.value.newest }
      // Two of one instant: any fixed order will do.
      return "\(left.key)" < "\(right.key)"
    }?.key
  }

  /// What follows the key columns.
  func values(currency: String) -> [ReportValue] {
    let monthly = shownPair?.monthly ?? paid?.monthly
    let yearly = shownPair?.yearly ?? paid?.yearly
    let source = shownPair != nil ? "shown" : paid?.source ?? "(none)"
    func count(_ plan: Plan) -> Int { purchases[plan] ?? 0 }
    let all = purchases.values.reduce(0, +)
    let other = all - count(.weekly) - count(.monthly) - count(.yearly) - count(.lifetime)
    var saving: Ratio?
    var breakEven: Ratio?
    if let monthly, let yearly {
      saving = Ratio(12 * Int128(monthly) - Int128(yearly), 12 * Int128(monthly))
      breakEven = Ratio(Int128(yearly), Int128(monthly))
    }
    let badge = saving.map(\.wholePercent).flatMap { $0 >= 1 ? $0 : nil }
    let realised = monthly.map { 12 * Int128($0) * Int128(yearlyPaid.count) - yearlyPaid.total }
    var value: Double?
    if let monthly, let payments = expectedPayments { value = Double(monthly) * payments }
    var advantage: Double?
    if let yearly, let value { advantage = Double(yearly) - value }
    return [
      .text(source), .count(pairs.count), .money(monthly.map { Int128($0) }, currency: currency),
      .money(yearly.map { Int128($0) }, currency: currency), .rate(saving?.double), .percent(badge),
      .number(breakEven?.double), .count(count(.weekly)), .count(count(.monthly)), .count(count(.yearly)),
      .count(count(.lifetime)), .count(other), .plainShare(count(.yearly), of: all),
      .money(realised, currency: currency), .estimate(value, currency: currency),
      .estimate(advantage, currency: currency),
    ]
  }

  /// Definitions 5.6: Kaplan–Meier over payment numbers, S(1) + … + S(12).
  ///
  /// - Returns: `nil` where S is above 0 and nobody is known to have gone on or stopped.
  private var expectedPayments: Double? {
    var survival = 1.0
    var expected = 1.0
    for number in 2...12 where survival > 0 {
      let stopped = monthlySpells[number - 1]?.churned ?? 0
      let wentOn = monthlySpells.filter { $0.key >= number }.reduce(0) { $0 + $1.value.churned + $1.value.going }
      if stopped + wentOn == 0 { return nil }
      survival *= Double(wentOn) / Double(stopped + wentOn)
      expected += survival
    }
    return expected
  }
}
