internal import EventModel
internal import Lifecycle
internal import Store

/// The rates that payments with a price in US dollars give (definitions 1.4): of each currency and UTC day, the median of
/// dollars ÷ price.
///
/// A payment more than 25% off the median of its currency's payments from 7 days before its day to 7 days after is left
/// out.
struct DerivedRates {
  /// Days on either side of a payment's whose payments its rate is compared with.
  private static let nearDays = 7

  /// A price in US dollars and in its own currency, in millionths below 10¹⁸.
  struct Prices {
    var dollars: Int64
    var price: Int64
  }

  /// The median of the rates of a day's payments.
  struct Rate {
    var rate: ExchangeRate.Decimal
    var payments: Int
  }

  private struct TermsDay: Hashable {
    var terms: Int32
    var day: Int
  }

  private let prices: [Int32: Prices]
  private var leftOut: Set<TermsDay> = []
  /// By currency, then UTC day since 1970.
  private(set) var rates: [String: [Int: Rate]] = [:]

  /// - Parameter end: Payments at or after this instant are unknown.
  init(_ facts: FactSource, before end: Int64) throws {
    var prices: [Int32: Prices] = [:]
    try facts.forEachRow("SELECT id, price_usd, price FROM terms WHERE price_usd > 0 AND price > 0") { row in
      prices[row.int32(0)] = Prices(dollars: row[1], price: row[2])
    }
    self.prices = prices
    if prices.isEmpty { return }
    var counts: [String: [Int: [Int32: Int]]] = [:]
    // Reads all apps, because a currency's rate does not depend on the app.
    try facts.forEachRow(
      """
      SELECT currency, ts / \(Lifecycle.day) AS day, terms, COUNT(*)
      FROM main.payment_row
      WHERE ts < \(end) AND terms IN (SELECT id FROM terms WHERE price_usd > 0 AND price > 0)
      GROUP BY currency, day, terms
      """
    ) { row in
      let currency = facts.name(Int(row[0]))
      if currency != "USD" { counts[currency, default: [:]][Int(row[1]), default: [:]][row.int32(2)] = row.int(3) }
    }
    for (currency, days) in counts { add(currency, days) }
  }

  /// Returns both prices of terms on a UTC day; `nil` if one is missing, or if they are left out.
  func prices(ofTerms terms: Int32, on day: Int) -> Prices? {
    isLeftOut(terms, on: day) ? nil : prices[terms]
  }

  func hasPrices(_ terms: Int32) -> Bool { prices[terms] != nil }

  func isLeftOut(_ terms: Int32, on day: Int) -> Bool { leftOut.contains(TermsDay(terms: terms, day: day)) }

  private mutating func add(_ currency: String, _ days: [Int: [Int32: Int]]) {
    let ordered = Set(days.values.flatMap(\.keys)).compactMap { terms in prices[terms].map { (terms, $0) } }
      .sorted { ($0.1.order($1.1), $0.0) < ($1.1.order($0.1), $1.0) }
    let places = Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($1.0, $0) })
    /// The payments of the days around the current one.
    var near = OrderedCounts(places: ordered.count)
    let sorted = days.keys.sorted()
    var (first, next) = (0, 0)
    for day in sorted {
      while next < sorted.count, sorted[next] <= day + Self.nearDays {
        for (terms, count) in days[sorted[next]] ?? [:] { near.add(count, at: places[terms] ?? 0) }
        next += 1
      }
      while sorted[first] < day - Self.nearDays {
        for (terms, count) in days[sorted[first]] ?? [:] { near.add(-count, at: places[terms] ?? 0) }
        first += 1
      }
      let middle = (
        low: ordered[near.place(of: (near.total - 1) / 2)].1, high: ordered[near.place(of: near.total / 2)].1
      )
      var own: [(place: Int, count: Int)] = []
      for (terms, count) in days[day] ?? [:] {
        guard let place = places[terms] else { continue }
        if ordered[place].1.isFar(from: middle.low, middle.high) {
          leftOut.insert(TermsDay(terms: terms, day: day))
        } else {
          own.append((place, count))
        }
      }
      own.sort { $0.place < $1.place }
      let total = own.reduce(0) { $0 + $1.count }
      func value(_ wanted: Int) -> Prices? {
        var before = 0
        return own.first { payment in
          before += payment.count
          return wanted < before
        }.map { ordered[$0.place].1 }
      }
      if let low = value((total - 1) / 2), let high = value(total / 2), let rate = low.mean(high) {
        rates[currency, default: [:]][day] = Rate(rate: rate, payments: total)
      }
    }
  }
}

extension DerivedRates.Prices {
  /// Returns a number for comparison by cross-multiplication: `a.order(b) < b.order(a)` if rate a is less than rate b.
  fileprivate func order(_ other: Self) -> Int128 { Int128(dollars) * Int128(other.price) }

  /// Returns whether the rate is more than 25% off the mean of two others.
  fileprivate func isFar(from low: Self, _ high: Self) -> Bool {
    // r = p ÷ q and m = s ÷ 2b: r > 1.25 m where 8pb > 5qs, and r < 0.75 m where 8pb < 3qs.
    let s = UInt128(low.dollars) * UInt128(high.price) + UInt128(high.dollars) * UInt128(low.price)
    let b = UInt128(low.price) * UInt128(high.price)
    let own = (8 * UInt128(dollars)).multipliedFullWidth(by: b)
    let most = (5 * UInt128(price)).multipliedFullWidth(by: s)
    let least = (3 * UInt128(price)).multipliedFullWidth(by: s)
    return (own.high, own.low) > (most.high, most.low) || (own.high, own.low) < (least.high, least.low)
  }

  /// Returns the mean of two rates, to 18 digits.
  fileprivate func mean(_ high: Self) -> ExchangeRate.Decimal? {
    let sum = Int128(dollars) * Int128(high.price) + Int128(high.dollars) * Int128(price)
    let divisor = 2 * Int128(price) * Int128(high.price)
    return ExchangeRate.Decimal(sum, over: divisor, digits: 18)
  }
}

extension ExchangeRate.Decimal {
  /// Creates a quotient of at most so many digits, half to even; `nil` if it has too many decimals.
  init?(_ dividend: Int128, over divisor: Int128, digits most: Int) {
    for decimals in (0...Self.mostDecimals).reversed() {
      guard let digits = wideQuotient(dividend, times: powerOfTen(decimals), over: divisor),
        digits < powerOfTen(most)
      else { continue }
      self.init("\(digits)e-\(decimals)")
      return
    }
    return nil
  }
}

/// Counts at places in an order, with the place of any rank: Fenwick's tree (1994).
private struct OrderedCounts {
  private var sums: [Int]
  private(set) var total = 0

  init(places: Int) { sums = [Int](repeating: 0, count: places + 1) }

  mutating func add(_ count: Int, at place: Int) {
    total += count
    var node = place + 1
    while node < sums.count {
      sums[node] += count
      node += node & -node
    }
  }

  /// Returns the place of the item with a rank from 0 to below ``total``.
  func place(of rank: Int) -> Int {
    var (place, left) = (0, rank)
    var step = 1 << (Int.bitWidth - 1 - sums.count.leadingZeroBitCount)
    while step > 0 {
      if place + step < sums.count, sums[place + step] <= left {
        place += step
        left -= sums[place]
      }
      step /= 2
    }
    return place
  }
}
