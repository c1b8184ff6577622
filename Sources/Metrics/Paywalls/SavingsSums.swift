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
  private(set) var yearlyPaid: (count: Int, total: Int128) = (0, 0)
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

  var monthly: Int64? { shownPair?.monthly ?? paid?.monthly }
  var yearly: Int64? { shownPair?.yearly ?? paid?.yearly }
  var source: String { shownPair != nil ? Self.shownSource : paid?.source ?? "(none)" }

  /// All purchases, and those of plans without a column of their own.
  var all: Int { purchases.values.reduce(0, +) }
  var others: Int { all - count(.weekly) - count(.monthly) - count(.yearly) - count(.lifetime) }

  func count(_ plan: Plan) -> Int { purchases[plan] ?? 0 }

  var saving: Ratio? { prices.flatMap { Ratio(12 * $0.monthly - $0.yearly, 12 * $0.monthly) } }
  var badge: Int? { saving.map(\.wholePercent).flatMap { $0 >= 1 ? $0 : nil } }
  var breakEven: Ratio? { prices.flatMap { Ratio($0.yearly, $0.monthly) } }
  var realised: Int128? { monthly.map { 12 * Int128($0) * Int128(yearlyPaid.count) - yearlyPaid.total } }
  var monthlyValue: Double? { monthly.flatMap { monthly in expectedPayments.map { Double(monthly) * $0 } } }

  private var prices: (monthly: Int128, yearly: Int128)? {
    monthly.flatMap { monthly in yearly.map { (Int128(monthly), Int128($0)) } }
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
