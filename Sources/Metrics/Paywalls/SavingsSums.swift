internal import EventModel

/// The sums of a row of the savings report.
struct SavingsSums {
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

  /// Counts purchases; implements definitions 5.4.
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

  mutating func take(_ prices: PaidPrices.OfPlans, source: String) {
    let (monthly, yearly) = (prices[.monthly]?.mostOften(), prices[.yearly]?.mostOften())
    if monthly != nil || yearly != nil { paid = (monthly, yearly, source) }
  }

  /// The pair shown most often; of equally frequent ones, the newest; implements definitions 5.1.
  var shownPair: Pair? { pairs.mostOften() }

  /// Returns yearly purchases above 0, impressions that showed the pair, and impressions that showed any pair.
  func basis(_ pair: Pair?) -> [ReportValue] {
    [
      .count(yearlyPaid.count), .count(pair.flatMap { pairs[$0] }?.count ?? 0),
      .count(pairs.total),
    ]
  }

  /// Returns the values after the key columns; implements definitions 5.3 and 5.5.
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
    let value = monthly.flatMap { monthly in expectedPayments.map { Double(monthly) * $0 } }
    let advantage = yearly.flatMap { yearly in value.map { Double(yearly) - $0 } }
    return [
      .text(source), .count(pairs.count), .money(monthly.map { Int128($0) }, currency: currency),
      .money(yearly.map { Int128($0) }, currency: currency), .rate(saving?.double), .percent(badge),
      .number(breakEven?.double), .count(count(.weekly)), .count(count(.monthly)), .count(count(.yearly)),
      .count(count(.lifetime)), .count(other), .plainShare(count(.yearly), of: all),
      .money(realised, currency: currency), .estimate(value, currency: currency),
      .estimate(advantage, currency: currency),
    ]
  }

  /// The expected payments S(1) + … + S(12) by Kaplan–Meier over payment numbers; implements definitions 5.6.
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
