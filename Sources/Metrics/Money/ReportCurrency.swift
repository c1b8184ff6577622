internal import EventModel
internal import Lifecycle
internal import Store

/// The currency of a report's amounts (definitions 1.4, D6.2): each amount's own, or one for all, by ``PaymentRates``.
///
/// Amounts are in ``parts`` of a micro-unit. US dollars are exact for rates of up to 12 decimals. Other quotients are
/// rounded half to even for each payment, so that sums do not depend on the grouping.
final class ReportCurrency {
  /// The number of parts in a micro-unit.
  static let parts = ExactShare.whole
  /// Days for which a rate stays valid after its own.
  static let validDays = PaymentRates.validDays
  /// The limit on an amount: below 10¹² units, as for prices.
  private static let limit = powerOfTen(18) * parts

  /// The rule as text for a report's definition.
  static let definition =
    "In one currency, a payment uses the first rate that exists: imported for its UTC day or the newest of the 7 "
    + "days before; its own price_usd; the median of these in its currency on that day or the nearest within 7 "
    + "days, without those more than 25% off the median of 15 days. A refund uses the rate of its payment (1.4)"

  /// ISO 4217; `nil` to keep each amount's own.
  let target: String?
  private let facts: FactSource
  private let rates: PaymentRates
  private var known: [Key: Factor?] = [:]
  private var missing: [String: Set<Int>] = [:]
  private var tooLarge: String?

  private struct Key: Hashable {
    var currency: NameID
    var day: Int
    /// The payment's terms; 0 if they record no price in US dollars.
    var terms: Int32
  }

  /// The factor from micro-units to ``parts`` of the target currency.
  private struct Factor {
    var numerator: Int128
    /// An exact factor of the numerator.
    var power: Int128
    var denominator: Int128
  }

  convenience init(_ query: ReportQuery) { self.init(query, target: query.options.currency) }

  init(_ query: ReportQuery, target: String?) {
    self.target = target
    facts = query.facts
    rates = PaymentRates(query)
  }

  /// Returns the code of a currency in a row's key; 0 if all amounts have one currency.
  func code(_ currency: NameID) -> Int64 { target == nil ? Int64(currency) : 0 }

  /// Returns SQL for the day of an instant's rate, over a column of instants; a constant if no rate is needed.
  func day(_ instant: String) -> String { target == nil ? "0" : "(\(instant) - \(instant) % \(Lifecycle.day))" }

  /// Returns a payment in ``parts`` of a micro-unit of the row's currency. If a rate is missing it is 0, and
  /// ``check()`` throws.
  func parts(of payment: PersonMoney.Payment) throws -> Int128 {
    try parts(of: payment.price, payment.currency, terms: payment.terms, at: payment.ts)
  }

  func parts(of refund: PersonMoney.Refund, of payment: PersonMoney.Payment) throws -> Int128 {
    try parts(ofRefund: refund.amount, refund.currency, of: (payment.currency, payment.terms, payment.ts))
  }

  /// Returns a refund at the rate of its payment; a refund in another currency at that currency's rate on the payment's
  /// day.
  func parts(
    ofRefund microUnits: Int64, _ currency: NameID, of payment: (currency: NameID, terms: Int32, ts: Int64)
  ) throws -> Int128 {
    try parts(
      of: microUnits, currency, terms: currency == payment.currency ? payment.terms : nil, at: payment.ts)
  }

  /// - Parameters:
  ///   - terms: The terms of the payment in this currency, which may record its price in US dollars.
  ///   - ts: The instant of the payment, in ms.
  func parts(of microUnits: Int64, _ currency: NameID, terms: Int32?, at ts: Int64) throws -> Int128 {
    if target == nil || microUnits == 0 { return Int128(microUnits) * Self.parts }
    guard let factor = try factor(currency, terms: terms, at: ts) else { return 0 }
    // Both are below 10¹⁸.
    let product = Int128(microUnits) * factor.numerator
    guard let parts = wideQuotient(product, times: factor.power, over: factor.denominator), parts.magnitude < Self.limit
    else {
      tooLarge = "\(facts.name(Int(currency))) on \(CivilDate(daysSince1970: Int(ts / Lifecycle.day)))"
      return 0
    }
    return parts
  }

  /// Returns spend of a UTC day in ``parts`` of a micro-unit of the target currency. If a rate is missing it is 0, and
  /// ``check()`` throws.
  ///
  /// - Parameter day: Days since 1970.
  func parts(ofSpend microUnits: Int64, _ currency: String, on day: Int) throws -> Int128 {
    guard microUnits > 0, let factor = try factor(currency, on: day, terms: 0) else { return 0 }
    return wideQuotient(Int128(microUnits) * factor.numerator, times: factor.power, over: factor.denominator) ?? 0
  }

  func hasRate(_ payment: PersonMoney.Payment) throws -> Bool {
    try hasRate(payment.currency, terms: payment.terms, at: payment.ts)
  }

  func hasRate(_ currency: NameID, terms: Int32?, at ts: Int64) throws -> Bool {
    try target == nil || factor(currency, terms: terms, at: ts) != nil
  }

  /// - Throws: ``ReportError/missingRates(_:_:)`` for the rates that the amounts computed so far lacked.
  func check() throws {
    guard let target else { return }
    if !missing.isEmpty {
      throw ReportError.missingRates(
        target,
        missing.map { ReportError.MissingRates(currency: $0.key, days: $0.value.sorted()) }
          .sorted { precedesInBytes($0.currency, $1.currency) })
    }
    try checkSizes()
  }

  /// - Throws: ``ReportError/convertedAmountTooLarge(_:_:)``.
  func checkSizes() throws {
    if let target, let tooLarge { throw ReportError.convertedAmountTooLarge(target, tooLarge) }
  }

  private func factor(_ currency: NameID, terms: Int32?, at ts: Int64) throws -> Factor? {
    let own = try terms.flatMap { try rates.tellsDollars($0) ? $0 : nil } ?? 0
    let key = Key(currency: currency, day: Int(ts / Lifecycle.day), terms: own)
    let factor = try known[key] ?? self.factor(facts.name(Int(currency)), on: key.day, terms: own)
    known[key] = .some(factor)
    return factor
  }

  private func factor(_ currency: String, on day: Int, terms: Int32) throws -> Factor? {
    guard let target, currency != target else { return Factor(numerator: 1, power: Self.parts, denominator: 1) }
    // Looks up both, so that both are listed if both are missing.
    let own = try rates.rate(currency, on: day, terms: terms)
    let wanted = try rates.rate(target, on: day, terms: 0)
    if own == nil { missing[currency, default: []].insert(day) }
    if wanted == nil { missing[target, default: []].insert(day) }
    guard let own, let wanted else { return nil }
    // A rate is numerator ÷ (denominator · 10^decimals), and the target's denominator is 1.
    let power = 12 + wanted.decimals - own.decimals
    return Factor(
      numerator: Int128(own.numerator), power: powerOfTen(max(0, power)),
      denominator: Int128(own.denominator) * Int128(wanted.numerator) * powerOfTen(max(0, -power)))
  }
}
