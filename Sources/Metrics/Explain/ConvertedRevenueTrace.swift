internal import EventModel
internal import Lifecycle
internal import Store

/// The converted revenue of each exposed user, with the payments and refunds behind it (D6.2, D6.4).
struct ConvertedRevenueTrace {
  private let facts: FactSource
  private let currency: String
  private var sums: [Int32: ConvertedMoney] = [:]

  init(_ exposed: ExposedPersons, currency: String) throws {
    (facts, self.currency) = (exposed.query.facts, currency)
    try UserMoney(exposed: exposed, currency: currency, isTraced: true).forEach { user, sum in
      if !sum.lines.isEmpty { sums[user.person] = sum }
    }
  }

  /// - Returns: Net revenue, rounded to the micro-unit, and whether any amount above 0 was paid.
  func outcome(of person: Int32) -> (net: Explanation.Amount, hasPaid: Bool) {
    let sum = sums[person]?.after ?? ConvertedMoney.Sum()
    return (Explanation.Amount(millionths: Self.microUnits(sum.net), currency: currency), sum.isPayer)
  }

  /// Returns the amount of an event with its rate; `nil` for one outside the window.
  func remark(_ person: Int32, _ event: PersonHistory.Event) -> String? {
    let isRefund = event.kind == .refund
    guard isRefund || [.conversion, .renewal, .payment, .planChange].contains(event.kind) else { return nil }
    let line = sums[person]?.lines.first { line in
      line.ts == event.ts && line.isRefund == isRefund
        && (event.price.map { $0 == line.price } ?? isRefund)
    }
    guard let line else { return nil }
    let own = facts.name(Int(line.currency))
    guard let amount = line.amount else { return "counts 0: no rate from \(own) to \(currency) (D6.3)" }
    let counted = "counts \(EventRoles.decimal(Self.microUnits(amount))) \(currency)"
    if own == currency || line.price == 0 { return "\(counted) (D6.4)" }
    let rate = (amount.magnitude / UInt128(ReportCurrency.parts) * 1_000_000_000) / UInt128(line.price)
    return "\(counted) at \(EventRoles.decimal(rate, places: 9)) \(currency) per \(own) (D6.2)"
  }

  private static func microUnits(_ parts: Int128) -> Int128 {
    wideQuotient(parts, times: 1, over: ReportCurrency.parts) ?? 0
  }
}
