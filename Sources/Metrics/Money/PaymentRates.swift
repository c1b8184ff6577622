internal import EventModel
internal import Lifecycle
internal import Store

/// Finds the rate of a payment in US dollars (D6.2), from the first available source: the rate imported for its UTC day
/// or one of the 7 days before (1.4); its own `price_usd` ÷ `price`; the median of these over all payments of its
/// currency and day; the median of the nearest such day within 7 days, of two the earlier.
final class PaymentRates {
  /// Days for which an imported rate stays valid after its own, and within which a derived rate is used on either side.
  static let validDays = 7

  /// numerator ÷ (denominator · 10^decimals), all above 0; numerator and denominator are below 10¹⁸, and `denominator`
  /// is 1 unless the payment records its own rate.
  struct Rate {
    var numerator: Int64
    var denominator: Int64 = 1
    var decimals = 0

    static let one = Rate(numerator: 1)
  }

  private struct Prices {
    var dollars: Int64
    var price: Int64
  }

  private let snapshot: StoreSnapshot
  private let facts: FactSource
  /// Payments at or after this instant are unknown.
  private let end: Int64
  /// Imported rates by currency, then UTC day since 1970.
  private var imported: [String: [Int: ExchangeRate.Decimal]] = [:]
  /// Prices in US dollars and in the payment's currency, by terms.
  private var own: [Int32: Prices]?
  /// Derived rates in the form of ``imported``, from payments that record both prices.
  private var derived: [String: [Int: Derived]]?

  /// The median of the rates of a day's payments.
  struct Derived {
    var rate: ExchangeRate.Decimal
    var payments: Int
  }

  init(_ query: ReportQuery) {
    snapshot = query.snapshot
    facts = query.facts
    end = query.options.asOf ?? .max
  }

  func tellsDollars(_ terms: Int32) throws -> Bool { try ownPrices()[terms] != nil }

  /// - Parameter terms: The terms of a payment that ``tellsDollars(_:)``, else 0.
  func rate(_ currency: String, on day: Int, terms: Int32) throws -> Rate? {
    if currency == "USD" { return .one }
    if let rate = try importedRate(currency, on: day) { return Rate(rate) }
    if let own = try ownPrices()[terms] { return Rate(numerator: own.dollars, denominator: own.price) }
    guard let days = try derivedRates()[currency] else { return nil }
    for distance in 0...Self.validDays {
      if let found = days[day - distance] ?? days[day + distance] { return Rate(found.rate) }
    }
    return nil
  }

  private func importedRate(_ currency: String, on day: Int) throws -> ExchangeRate.Decimal? {
    if imported[currency] == nil {
      imported[currency] = Dictionary(
        uniqueKeysWithValues: try snapshot.rates(of: currency).map { ($0.date.daysSince1970, $0.usdPerUnit) })
    }
    for before in 0...Self.validDays {
      if let rate = imported[currency]?[day - before] { return rate }
    }
    return nil
  }

  private func ownPrices() throws -> [Int32: Prices] {
    if let own { return own }
    var found: [Int32: Prices] = [:]
    try facts.forEachRow("SELECT id, price_usd, price FROM terms WHERE price_usd > 0 AND price > 0") { row in
      found[row.int32(0)] = Prices(dollars: row[1], price: row[2])
    }
    own = found
    return found
  }

  /// Returns the rates derived from payments, by currency, then UTC day since 1970.
  func derivedRates() throws -> [String: [Int: Derived]] {
    if let derived { return derived }
    let own = try ownPrices()
    var counts: [String: [Int: [Int32: Int]]] = [:]
    if !own.isEmpty {
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
        counts[currency, default: [:]][Int(row[1]), default: [:]][row.int32(2)] = row.int(3)
      }
    }
    let found = counts.mapValues { days in
      days.compactMapValues { counts in
        Self.median(counts.compactMap { terms, count in own[terms].map { ($0, count) } }).map {
          Derived(rate: $0, payments: counts.values.reduce(0, +))
        }
      }
    }
    derived = found
    return found
  }

  /// Returns the median of dollars ÷ price, to 18 digits.
  private static func median(_ prices: [(prices: Prices, count: Int)]) -> ExchangeRate.Decimal? {
    let sorted = prices.sorted { left, right in
      Int128(left.prices.dollars) * Int128(right.prices.price) < Int128(right.prices.dollars)
        * Int128(left.prices.price)
    }
    let total = sorted.reduce(0) { $0 + $1.count }
    func value(at place: Int) -> Prices? {
      var before = 0
      for (prices, count) in sorted {
        before += count
        if place < before { return prices }
      }
      return nil
    }
    guard let low = value(at: (total - 1) / 2), let high = value(at: total / 2) else { return nil }
    return mean(low, high)
  }

  private static func mean(_ low: Prices, _ high: Prices) -> ExchangeRate.Decimal? {
    let sum = Int128(low.dollars) * Int128(high.price) + Int128(high.dollars) * Int128(low.price)
    let divisor = 2 * Int128(low.price) * Int128(high.price)
    for decimals in (0...ExchangeRate.Decimal.mostDecimals).reversed() {
      guard let digits = wideQuotient(sum, times: powerOfTen128(decimals), over: divisor) else { continue }
      if digits < powerOfTen128(18) { return ExchangeRate.Decimal("\(digits)e-\(decimals)") }
    }
    return nil
  }
}

extension PaymentRates.Rate {
  init(_ rate: ExchangeRate.Decimal) { self.init(numerator: rate.digits, decimals: rate.decimals) }
}
