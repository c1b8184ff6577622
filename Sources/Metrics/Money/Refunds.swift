internal import Lifecycle
public import Store

/// Reports refunded payments and refunded amounts, found by `PersonFold.applyRefunds` (definitions 7.1).
public enum Refunds {
  struct Sums {
    var payments = 0
    /// Payments with any refund.
    var refunded = 0
    /// By payment day, payments refunded in full; by refund day, refunds that completed a full refund.
    var full = 0
    /// Payments whose window is over, and the number of them refunded within it.
    var atRisk = 0
    var refundedInWindow = 0
    var refunds = 0
    /// Micro-units of the row's currency.
    var gross: Int128 = 0
    var amount: Int128 = 0
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    try options.inOneCurrency(snapshot) { options in
      let query = try ReportQuery(snapshot, options, by: .refunds)
      let isByRefundDay = options.isByRefundDay
      return query.report(
        "refunds", title: isByRefundDay ? "Refunds by their own day" : "Refunds by the day of the payment",
        definition: (isByRefundDay ? refundDayDefinition : paymentDayDefinition) + [
          "refunded_amount: sum of refunds, in the refund's currency. A refund without an amount returns all that was "
            + "left of its payment. A refund of an unknown payment does not count (2.7, 7.1)",
          "refunded_share: refunded_amount ÷ gross",
          "The other dimensions are those of the first payment of the subscription's spell (2.10, 2.11)",
        ],
        own: [query.currencyParameter, Report.Parameter(name: "date", value: isByRefundDay ? "refund" : "payment")],
        columns: (isByRefundDay ? refundDayColumns : paymentDayColumns) + moneyColumns,
        rows: query.rowsByCurrency(try sumsOfRows(query)))
    }
  }

  private static let paymentDayDefinition = [
    "Payments of the days, with their refunds up to the end of the data. Recent payments have had less time to be "
      + "refunded",
    "refund_rate: share of payments refunded in full or in part. partial includes refunds in another currency (2.7)",
    "refunded_30_rate: share of payments at least 30 d old (at_risk_30) that were refunded within 30 d. Compare "
      + "cohorts by this rate",
  ]

  private static let refundDayDefinition = [
    "Refunds of the days, whatever the day of their payment. payments and gross count the payments of the same days",
    "full: refunds that complete giving the payment back (2.7). partial: all others. full_rate: share of full "
      + "refunds",
  ]

  private static let paymentDayColumns: [SumsColumn<Sums>] = [
    .count("payments", \.payments), .count("refunded", \.refunded),
    .share("refund_rate", \.refunded, of: \.payments), .count("full", \.full),
    .count("partial") { $0.refunded - $0.full }, .count("at_risk_30", \.atRisk),
    .count("refunded_30", \.refundedInWindow), .share("refunded_30_rate", \.refundedInWindow, of: \.atRisk),
  ]

  private static let refundDayColumns: [SumsColumn<Sums>] = [
    .count("refunds", \.refunds), .count("full", \.full), .share("full_rate", \.full, of: \.refunds),
    .count("partial") { $0.refunds - $0.full }, .count("payments", \.payments),
  ]

  private static let moneyColumns: [SumsColumn<Sums>] = [
    .money("gross", \.gross), .money("refunded_amount", \.amount),
    .rate("refunded_share") { Ratio($0.amount, $0.gross)?.double },
  ]

  /// Returns sums by row, whose key ends with the currency.
  static func sumsOfRows(_ query: ReportQuery) throws -> [RowKey: Sums] {
    let scan = try PaymentHistoryReader(query.facts)
    var rows = try UnitRows(query)
    var sumsOfRows = CurrencySums(Sums())
    let currency = ReportCurrency(query)
    let asOfs = query.asOfs
    let isByRefundDay = query.options.isByRefundDay
    try scan.forEachPerson { money in
      rows.person = money.person
      let stages = rows.asksForStages ? money.stages : []
      for (place, payment) in money.payments.enumerated() {
        if rows.asksForStages { rows.stage = stages[place] }
        let credits = money.credits[money.spells[payment.spell].credits]
        guard let app = credits.first.map({ scan.cellKey($0.cellKey).app }) else { continue }
        let refunds = money.refunds[payment.refunds]
        try rows.forEachRow(credits, at: payment.ts, scan.cellKey) { row in
          // Only selected payments, because other days need no rate.
          let price = try currency.parts(of: payment)
          sumsOfRows[row, currency.code(payment.currency)].add(
            payment, price, refunds.first, isByRefundDay: isByRefundDay, asOf: asOfs[app] ?? .min)
        }
        var back: Int64 = 0
        var isComplete = false
        for refund in refunds {
          if refund.currency == payment.currency { back += refund.amount }
          let completes =
            !isComplete && payment.refundedAt == refund.ts && refund.currency == payment.currency
            && back >= payment.price
          if completes { isComplete = true }
          try rows.forEachRow(credits, at: isByRefundDay ? refund.ts : payment.ts, scan.cellKey) { row in
            let amount = try currency.parts(of: refund, of: payment)
            sumsOfRows[row, currency.code(refund.currency)].addRefund(
              amount, completes: completes, isByRefundDay: isByRefundDay)
          }
        }
      }
    }
    try currency.check()
    return sumsOfRows.byKey(rows.keys)
  }
}

extension Refunds.Sums {
  fileprivate mutating func add(
    _ payment: PersonMoney.Payment, _ price: Int128, _ firstRefund: PersonMoney.Refund?, isByRefundDay: Bool,
    asOf: Int64
  ) {
    payments += 1
    gross += price
    if isByRefundDay { return }
    if firstRefund != nil { refunded += 1 }
    if payment.refundedAt != nil { full += 1 }
    if payment.ts + PurchaseUnit.refundWindow <= asOf {
      atRisk += 1
      if let firstRefund, firstRefund.ts < payment.ts + PurchaseUnit.refundWindow { refundedInWindow += 1 }
    }
  }

  fileprivate mutating func addRefund(_ amount: Int128, completes: Bool, isByRefundDay: Bool) {
    self.amount += amount
    if !isByRefundDay { return }
    refunds += 1
    if completes { full += 1 }
  }
}
