internal import EventModel

/// A count of sightings and the instant of the last one.
struct Tally {
  var count: Int
  var newest: Int64
  /// The id of the newest event, looked up only if counts and instants tie.
  var newestID = ""

  /// Records the id of one of the events seen last.
  mutating func take(id: String) { if precedesInBytes(newestID, id) { newestID = id } }

  func merged(with other: Tally) -> Tally {
    Tally(count: count + other.count, newest: max(newest, other.newest), newestID: max(newestID, other.newestID))
  }
}

extension Dictionary where Value == Tally {
  /// The key seen most often; of equally frequent ones, the newest in event order.
  var mostOften: Key? {
    self.max { left, right in
      if left.value.count != right.value.count { return left.value.count < right.value.count }
      if left.value.newest != right.value.newest { return left.value.newest < right.value.newest }
      return precedesInBytes(left.value.newestID, right.value.newestID)
    }?.key
  }

  /// Whether several keys were seen most often.
  var isTiedInCount: Bool {
    let most = values.map(\.count).max()
    return values.count { $0.count == most } > 1
  }

  /// The instant at which several of the keys seen most often were last seen.
  var tiedAt: Int64? {
    guard let most = mostOften.flatMap({ self[$0] }) else { return nil }
    return filter { $0.value.count == most.count && $0.value.newest == most.newest }.count > 1 ? most.newest : nil
  }
}

/// The prices paid by purchases, by variant (definitions 5.2).
struct PaidPrices {
  struct OfVariant {
    var monthly: [Int64: Tally] = [:]
    var yearly: [Int64: Tally] = [:]

    var monthlyCount: Int { monthly.values.reduce(0) { $0 + $1.count } }
    var yearlyCount: Int { yearly.values.reduce(0) { $0 + $1.count } }
  }

  /// Prices by the number of the variant's name.
  private var byVariant: [Int: (name: String, prices: OfVariant)] = [:]

  mutating func add(variant: Int, name: String, plan: Plan, price: Int64, tally: Tally) {
    var prices = byVariant[variant]?.prices ?? OfVariant()
    if plan == .monthly {
      prices.monthly[price] = tally.merged(with: prices.monthly[price] ?? Tally(count: 0, newest: .min))
    } else {
      prices.yearly[price] = tally.merged(with: prices.yearly[price] ?? Tally(count: 0, newest: .min))
    }
    byVariant[variant] = (name, prices)
  }

  /// The prices of all purchases, across variants.
  var ofAllVariants: OfVariant? {
    byVariant.values.reduce(nil) { all, variant in
      OfVariant(
        monthly: (all?.monthly ?? [:]).merging(variant.prices.monthly) { $0.merged(with: $1) },
        yearly: (all?.yearly ?? [:]).merging(variant.prices.yearly) { $0.merged(with: $1) })
    }
  }

  /// The prices of the variant with the most purchases; of equals the first in byte order.
  var leadingVariant: (number: Int, prices: OfVariant)? {
    byVariant.min { left, right in
      let leftCount = left.value.prices.monthlyCount + left.value.prices.yearlyCount
      let rightCount = right.value.prices.monthlyCount + right.value.prices.yearlyCount
      return leftCount != rightCount ? leftCount > rightCount : precedesInBytes(left.value.name, right.value.name)
    }.map { ($0.key, $0.value.prices) }
  }
}

/// A cell of the savings report.
struct SavingsCell {
  struct Pair: Hashable {
    var monthly: Int64
    var yearly: Int64
  }

  /// The value of `price_source` for prices that impressions showed.
  static let shownSource = "shown"

  /// The pairs of prices shown.
  var pairs: [Pair: Tally] = [:]
  private var purchases: [Plan: Int] = [:]
  /// Yearly purchases above 0.
  private var yearlyPaid: (count: Int, total: Int128) = (0, 0)
  /// Monthly spells by number of payments.
  private var monthlySpells: [Int: (churned: Int, going: Int)] = [:]
  private var paid: (monthly: Int64?, yearly: Int64?, source: String)?

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
    let monthly = prices.monthly.mostOften
    let yearly = prices.yearly.mostOften
    if monthly != nil || yearly != nil { paid = (monthly, yearly, source) }
  }

  /// The pair shown most often; of equally frequent ones, the newest (definitions 5.1).
  var shownPair: Pair? { pairs.mostOften }

  /// Returns yearly purchases above 0, impressions that showed the pair, and impressions that showed any pair.
  func basis(_ pair: Pair?) -> [ReportValue] {
    [
      .count(yearlyPaid.count), .count(pair.flatMap { pairs[$0] }?.count ?? 0),
      .count(pairs.values.reduce(0) { $0 + $1.count }),
    ]
  }

  /// Returns the values after the key columns.
  func values(currency: String) -> [ReportValue] {
    let monthly = shownPair?.monthly ?? paid?.monthly
    let yearly = shownPair?.yearly ?? paid?.yearly
    let source = shownPair != nil ? Self.shownSource : paid?.source ?? "(none)"
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

  /// The expected payments S(1) + … + S(12) by Kaplan–Meier over payment numbers (definitions 5.6).
  ///
  /// - Returns: `nil` if S is above 0 at a payment for which no spell is known to have continued or stopped.
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
