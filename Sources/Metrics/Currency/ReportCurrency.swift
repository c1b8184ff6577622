internal import EventModel
internal import Lifecycle
internal import Store

/// The currency of a report's amounts (definitions 1.4): of each its own, or one for all, by the rates of the UTC days of
/// the payments and refunds.
///
/// A day's rate is its own, else the newest of the 7 days before. Amounts come in ``parts`` of a micro-unit: US dollars are
/// exact for rates of up to 12 decimals; other quotients are rounded half to even, each payment's by itself, so that sums
/// are the same whatever they are grouped by.
final class ReportCurrency {
  /// A micro-unit in what amounts are counted in.
  static let parts = ExactShare.whole
  /// Days for which a rate holds after its own.
  static let validDays = 7
  /// No amount reaches 10¹² units, as no price does.
  private static let limit = powerOfTen128(18) * parts

  /// ISO 4217; `nil` for each its own.
  let target: String?
  private let snapshot: StoreSnapshot
  private let facts: FactSource
  /// By currency, then UTC day since 1970.
  private var rates: [String: [Int: ExchangeRate.Decimal]] = [:]
  private var known: [Key: Factor?] = [:]
  private var missing: [String: Set<Int>] = [:]
  private var tooLarge: String?

  private struct Key: Hashable {
    var currency: NameID
    var day: Int
  }

  /// What an amount in micro-units is multiplied by for ``parts`` of the target's.
  private struct Factor {
    var numerator: Int128
    /// Exact, beside the numerator.
    var power: Int128
    var denominator: Int128
  }

  init(_ query: ReportQuery) {
    target = query.options.currency
    snapshot = query.snapshot
    facts = query.facts
  }

  /// What a row's key has for a currency: 0 for all where there is one.
  func code(_ currency: NameID) -> Int64 { target == nil ? Int64(currency) : 0 }

  /// The day whose rate an instant takes, as SQL over a column of instants: a constant where no rate is taken.
  func day(_ instant: String) -> String { target == nil ? "0" : "(\(instant) - \(instant) % \(Lifecycle.day))" }

  /// An amount in ``parts`` of a micro-unit of the row's currency. Where a rate is missing it is 0, and ``check()``
  /// throws.
  ///
  /// - Parameter ts: When it was paid or given back, in ms.
  func parts(of microUnits: Int64, _ currency: NameID, at ts: Int64) throws -> Int128 {
    if target == nil || microUnits == 0 { return Int128(microUnits) * Self.parts }
    let key = Key(currency: currency, day: Int(ts / Lifecycle.day))
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

  /// - Throws: ``ReportError/missingRates(_:_:)`` for the rates that amounts so far lacked.
  func check() throws {
    guard let target else { return }
    if !missing.isEmpty {
      throw ReportError.missingRates(
        target,
        missing.map { ReportError.MissingRates(currency: $0.key, days: $0.value.sorted()) }
          .sorted { precedesInBytes($0.currency, $1.currency) })
    }
    if let tooLarge { throw ReportError.convertedAmountTooLarge(target, tooLarge) }
  }

  /// Those that lacked a rate, in byte order.
  var missingCurrencies: [String] { missing.keys.sorted(by: precedesInBytes) }

  private func factor(_ key: Key) throws -> Factor? {
    let currency = facts.name(Int(key.currency))
    if currency == target { return Factor(numerator: 1, power: Self.parts, denominator: 1) }
    // Both, so that both are listed where both are missing.
    let own = try rate(currency, on: key.day)
    let wanted = try rate(target ?? currency, on: key.day)
    guard let own, let wanted else { return nil }
    let power = 12 + wanted.decimals - own.decimals
    return Factor(
      numerator: Int128(own.digits), power: powerOfTen128(max(0, power)),
      denominator: Int128(wanted.digits) * powerOfTen128(max(0, -power)))
  }

  /// The rate of a day, or the newest of the 7 days before.
  private func rate(_ currency: String, on day: Int) throws -> ExchangeRate.Decimal? {
    if currency == "USD" { return .one }
    if rates[currency] == nil {
      rates[currency] = Dictionary(
        uniqueKeysWithValues: try snapshot.rates(of: currency).map { ($0.date.daysSince1970, $0.usdPerUnit) })
    }
    for before in 0...Self.validDays {
      if let rate = rates[currency]?[day - before] { return rate }
    }
    missing[currency, default: []].insert(day)
    return nil
  }
}
