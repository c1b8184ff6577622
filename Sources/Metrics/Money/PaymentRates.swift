internal import EventModel
internal import Foundation
internal import Store

/// Finds the rate of a payment in US dollars; implements definitions 1.4 and D6.2.
///
/// It comes from the first of these: the rate imported for its UTC day or one of the 7 days before; its own `price_usd`
/// ÷ `price`; the median of these over all payments of its currency and day; the median of the nearest such day within 7
/// days, of two the earlier (``DerivedRates``).
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

  private let snapshot: StoreSnapshot
  private let facts: FactSource
  /// Payments at or after this instant are unknown.
  private let end: Int64
  /// Imported rates by currency, then UTC day since 1970.
  private var imported: [String: [Int: ExchangeRate.Decimal]] = [:]
  private var derived: DerivedRates?
  private let use: DerivedRateUse

  init(_ query: ReportQuery) {
    snapshot = query.snapshot
    facts = query.facts
    end = query.options.asOf ?? .max
    use = query.rateUse
  }

  func tellsDollars(_ terms: Int32) throws -> Bool { try derivedRates().hasPrices(terms) }

  /// - Parameter terms: The terms of a payment that ``tellsDollars(_:)``, else 0.
  func rate(_ currency: String, on day: Int, terms: Int32) throws -> Rate? {
    if currency == "USD" { return .one }
    if let rate = try importedRate(currency, on: day) { return Rate(rate) }
    let derived = try derivedRates()
    if let own = derived.prices(ofTerms: terms, on: day) {
      use.note(currency, on: day)
      return Rate(numerator: own.dollars, denominator: own.price)
    }
    guard let days = derived.rates[currency] else { return nil }
    for distance in 0...Self.validDays {
      if let found = days[day - distance] ?? days[day + distance] {
        use.note(currency, on: day)
        return Rate(found.rate)
      }
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

  func derivedRates() throws -> DerivedRates {
    if let derived { return derived }
    let found = try DerivedRates(facts, before: end)
    derived = found
    return found
  }
}

extension PaymentRates.Rate {
  init(_ rate: ExchangeRate.Decimal) { self.init(numerator: rate.digits, decimals: rate.decimals) }
}

/// Notes the currencies and days that a report converts by rates of payments.
///
/// `@unchecked Sendable`: a lock guards the days.
final class DerivedRateUse: @unchecked Sendable {
  private let lock = NSLock()
  private var days: [String: Set<Int>] = [:]

  func note(_ currency: String, on day: Int) { lock.withLock { () -> Void in days[currency, default: []].insert(day) } }

  /// The sentence for readers; `nil` if no such rate was used.
  var sentence: String? {
    let days = lock.withLock { self.days }
    if days.isEmpty { return nil }
    let count = days.values.reduce(into: Set<Int>()) { $0.formUnion($1) }.count
    return "Converted at the rates of your own payments (\(counted(count, "day"))): "
      + days.keys.sorted(by: precedesInBytes).joined(separator: ", ")
  }
}
