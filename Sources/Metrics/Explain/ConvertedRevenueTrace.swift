internal import EventModel
internal import Lifecycle
internal import Store

/// The converted revenue of each exposed user, with the payments and refunds behind it (D6.2, D6.4).
struct ConvertedRevenueTrace {
  /// A payment or refund in the window.
  private struct Line {
    var ts: Int64
    var isRefund: Bool
    /// Micro-units.
    var price: Int64
    var currency: String
    /// In ``ReportCurrency/parts``; `nil` if no rate is known.
    var amount: Int128?
  }

  private struct Sum {
    var net: Int128 = 0
    var hasPaid = false
    var lines: [Line] = []
  }

  private let currency: String
  private var sums: [Int32: Sum] = [:]

  init(_ exposed: ExposedPersons, currency: String) throws {
    self.currency = currency
    let finder = try exposed.userFinder()
    let facts = exposed.query.facts
    let rates = ReportCurrency(exposed.query, target: currency)
    try PaymentHistoryReader(facts).forEachPerson(where: finder.contains) { money in
      guard let user = finder.user(money.person) else { return }
      let window = user.exposedAt..<user.exposedAt + ExposureOutcome.revenueHorizon
      var sum = Sum()
      for payment in money.payments {
        if payment.price > 0, window.contains(payment.ts) {
          let amount = try rates.parts(of: payment)
          sum.net += amount
          sum.hasPaid = true
          sum.lines.append(
            Line(
              ts: payment.ts, isRefund: false, price: payment.price, currency: facts.name(Int(payment.currency)),
              amount: try rates.hasRate(payment) ? amount : nil))
        }
        for refund in money.refunds[payment.refunds] where window.contains(refund.ts) {
          let amount = try rates.parts(of: refund, of: payment)
          let terms = refund.currency == payment.currency ? payment.terms : nil
          sum.net -= amount
          sum.lines.append(
            Line(
              ts: refund.ts, isRefund: true, price: refund.amount, currency: facts.name(Int(refund.currency)),
              amount: try rates.hasRate(refund.currency, terms: terms, at: payment.ts) ? -amount : nil))
        }
      }
      if !sum.lines.isEmpty { sums[money.person] = sum }
    }
    try rates.checkSizes()
  }

  /// - Returns: Net revenue, rounded to the micro-unit, and whether any amount above 0 was paid.
  func outcome(of person: Int32) -> (net: Explanation.Amount, hasPaid: Bool) {
    let sum = sums[person] ?? Sum()
    return (
      Explanation.Amount(millionths: Self.microUnits(sum.net), currency: currency), sum.hasPaid
    )
  }

  /// Returns the amount of an event with its rate; `nil` for one outside the window.
  func remark(_ person: Int32, _ event: PersonHistory.Event) -> String? {
    let isRefund = event.kind == .refund
    guard isRefund || [.conversion, .renewal, .planChange].contains(event.kind) else { return nil }
    let line = sums[person]?.lines.first { line in
      line.ts == event.ts && line.isRefund == isRefund
        && (event.price.map { $0 == line.price } ?? isRefund)
    }
    guard let line else { return nil }
    guard let amount = line.amount else { return "counts 0: no rate from \(line.currency) to \(currency) (D6.3)" }
    let counted = "counts \(Self.decimal(Self.microUnits(amount), places: 6)) \(currency)"
    if line.currency == currency || line.price == 0 { return "\(counted) (D6.4)" }
    let rate = (amount.magnitude / UInt128(ReportCurrency.parts) * 1_000_000_000) / UInt128(line.price)
    return "\(counted) at \(Self.decimal(Int128(rate), places: 9)) \(currency) per \(line.currency) (D6.2)"
  }

  /// Rounds half to even.
  private static func microUnits(_ parts: Int128) -> Int128 {
    let (quotient, rest) = parts.magnitude.quotientAndRemainder(dividingBy: UInt128(ReportCurrency.parts))
    let half = UInt128(ReportCurrency.parts) / 2
    let isUp = rest > half || rest == half && quotient % 2 == 1
    return (parts < 0 ? -1 : 1) * Int128(quotient + (isUp ? 1 : 0))
  }

  /// Returns a number with a fixed number of decimal places, without trailing zeros after the second place.
  private static func decimal(_ value: Int128, places: Int) -> String {
    var digits = String(value.magnitude)
    digits = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    var fraction = String(digits.suffix(places))
    while fraction.count > 2, fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(value < 0 ? "-" : "")\(digits.dropLast(places)).\(fraction)"
  }
}
