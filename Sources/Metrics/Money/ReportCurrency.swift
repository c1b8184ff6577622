internal import EventModel
internal import Lifecycle
internal import Store

/// The currency of a report's amounts (definitions 1.4, D6.2): of each its own, or one for all, by ``PaymentRates``.
///
/// Amounts come in ``parts`` of a micro-unit: US dollars are exact for rates of up to 12 decimals; other quotients are
/// rounded half to even, each payment's by itself, so that sums are the same whatever they are grouped by.
final class ReportCurrency {
  /// A micro-unit in what amounts are counted in.
  static let parts = ExactShare.whole
  /// Days for which a rate holds after its own.
  static let validDays = PaymentRates.validDays
  /// No amount reaches 10¹² units, as no price does.
  private static let limit = powerOfTen128(18) * parts

  /// The rule as a report's definition has it.
  static let definition =
    "in one currency: each payment by the rate imported for its UTC day or the newest of the 7 days before, else by its "
    + "own price_usd, else by the median of these in its currency that day or the nearest within 7 days; a refund by the "
    + "rate of its payment (1.4)"

  /// ISO 4217; `nil` for each its own.
  let target: String?
  private let facts: FactSource
  private let rates: PaymentRates
  private var known: [Key: Factor?] = [:]
  private var missing: [String: Set<Int>] = [:]
  private var tooLarge: String?

  private struct Key: Hashable {
    var currency: NameID
    var day: Int
    /// 0 where the payment tells no price in US dollars.
    var terms: Int32
  }

  /// What an amount in micro-units is multiplied by for ``parts`` of the target's.
  private struct Factor {
    var numerator: Int128
    /// Exact, beside the numerator.
    var power: Int128
    var denominator: Int128
  }

  convenience init(_ query: ReportQuery) { self.init(query, target: query.options.currency) }

  init(_ query: ReportQuery, target: String?) {
    self.target = target
    facts = query.facts
    rates = PaymentRates(query)
  }

  /// What a row's key has for a currency: 0 for all where there is one.
  func code(_ currency: NameID) -> Int64 { target == nil ? Int64(currency) : 0 }

  /// The day whose rate an instant takes, as SQL over a column of instants: a constant where no rate is taken.
  func day(_ instant: String) -> String { target == nil ? "0" : "(\(instant) - \(instant) % \(Lifecycle.day))" }

  /// A payment in ``parts`` of a micro-unit of the row's currency. Where a rate is missing it is 0, and ``check()`` throws.
  func parts(of payment: PersonMoney.Payment) throws -> Int128 {
    try parts(of: payment.price, payment.currency, terms: payment.terms, at: payment.ts)
  }

  /// A refund by the rate of its payment; one in another currency by that currency's on the payment's day.
  func parts(of refund: PersonMoney.Refund, of payment: PersonMoney.Payment) throws -> Int128 {
    try parts(
      of: refund.amount, refund.currency, terms: refund.currency == payment.currency ? payment.terms : nil,
      at: payment.ts)
  }

  /// - Parameters:
  ///   - terms: Those of the payment in this currency, which may tell its price in US dollars.
  ///   - ts: When the payment was, in ms.
  func parts(of microUnits: Int64, _ currency: NameID, terms: Int32?, at ts: Int64) throws -> Int128 {
    if target == nil || microUnits == 0 { return Int128(microUnits) * Self.parts }
    let own = try terms.flatMap { try rates.tellsDollars($0) ? $0 : nil } ?? 0
    let key = Key(currency: currency, day: Int(ts / Lifecycle.day), terms: own)
    let factor = try known[key] ?? self.factor(key)
    known[key] = .some(factor)
    guard let factor else { return 0 }
    // Below 10¹⁸ each.
    let product = Int128(microUnits) * factor.numerator
    guard let parts = wideQuotient(product, times: factor.power, over: factor.denominator), parts.magnitude < Self.limit
    else {
      tooLarge = "\(facts.name(Int(currency))) on \(CivilDate(daysSince1970: key.day))"
      return 0
    }
    return parts
  }

  /// Whether a payment has a rate.
  func hasRate(_ payment: PersonMoney.Payment) throws -> Bool {
    try hasRate(payment.currency, terms: payment.terms, at: payment.ts)
  }

  func hasRate(_ currency: NameID, terms: Int32?, at ts: Int64) throws -> Bool {
    if target == nil { return true }
    let own = try terms.flatMap { try rates.tellsDollars($0) ? $0 : nil } ?? 0
    let key = Key(currency: currency, day: Int(ts / Lifecycle.day), terms: own)
    let factor = try known[key] ?? self.factor(key)
    known[key] = .some(factor)
    return factor != nil
  }

  /// - Throws: ``ReportError/missingRates(_:_:)`` for the rates that amounts so far lacked.
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

  /// Those that lacked a rate, in byte order.
  var missingCurrencies: [String] { missing.keys.sorted(by: precedesInBytes) }

  private func factor(_ key: Key) throws -> Factor? {
    let currency = facts.name(Int(key.currency))
    guard let target, currency != target else { return Factor(numerator: 1, power: Self.parts, denominator: 1) }
    // Both, so that both are listed where both are missing.
    let own = try rates.rate(currency, on: key.day, terms: key.terms)
    let wanted = try rates.rate(target, on: key.day, terms: 0)
    if own == nil { missing[currency, default: []].insert(key.day) }
    if wanted == nil { missing[target, default: []].insert(key.day) }
    guard let own, let wanted else { return nil }
    // A rate is numerator ÷ (denominator · 10^decimals), and that of the target has the denominator 1.
    let power = 12 + wanted.decimals - own.decimals
    return Factor(
      numerator: Int128(own.numerator), power: powerOfTen128(max(0, power)),
      denominator: Int128(own.denominator) * Int128(wanted.numerator) * powerOfTen128(max(0, -power)))
  }
}
