internal import Lifecycle
public import Store

/// Which payments were given back, and how much of them (definitions 2.7, 7.1).
public enum Refunds {
  private static let defaultBy: [Dimension] = [.variant, .entryPoint]
  /// Definitions 6.3.
  private static let window = 30 * day

  struct Cell {
    var payments = 0
    /// Payments of which anything was given back.
    var refunded = 0
    /// By payment day, payments given back in full; by refund day, refunds that completed it.
    var full = 0
    /// Payments whose window is over, and of those the ones with a refund in it.
    var atRisk = 0
    var refundedInWindow = 0
    var refunds = 0
    /// Micro-units of the row's currency.
    var gross: Int128 = 0
    var amount: Int128 = 0

    var refundedShare: ReportValue { .rate(Ratio(amount, gross)?.double) }
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, defaultBy: defaultBy)
    let isByRefundDay = options.isByRefundDay
    return query.report(
      "refunds", title: isByRefundDay ? "Refunds by their own day" : "Refunds by the day of the payment",
      definition: (isByRefundDay ? refundDayDefinition : paymentDayDefinition) + [
        "refunded_amount: Σ refunds in the refund's currency, one that states no amount being all that was left of its "
          + "payment; refunded_share: that ÷ gross; a refund of no known payment is left out (2.7, 7.1)",
        "the other dimensions are those of the first payment of the spell (2.10, 2.11)",
      ],
      own: [query.currencyParameter, Report.Parameter(name: "date", value: isByRefundDay ? "refund" : "payment")],
      columns: query.currencyKeyColumns + (isByRefundDay ? refundDayColumns : paymentDayColumns),
      rows: query.rowsByCurrency(try cells(query)) { _, cell, currency in
        isByRefundDay ? refundDayValues(cell, currency) : paymentDayValues(cell, currency)
      })
  }

  private static let paymentDayDefinition = [
    "payments of the days asked for, and what was given back of them until the as-of; young payments have had less time for it",
    "refund_rate: payments of which anything was given back; full: all of it, partial: a part or another currency (2.7)",
    "refunded_30: a refund within 30 d of the payment, of those that are 30 d old (at_risk_30): the rate to compare cohorts by",
  ]

  private static let refundDayDefinition = [
    "refunds of the days asked for, whenever their payment was; payments and gross are those of the same days",
    "full: the refund after which nothing is left of the payment (2.7); partial: any other; full_rate: share of refunds",
  ]

  private static let paymentDayColumns: [ReportColumn] =
    [ReportColumn("payments", .count), ReportColumn("refunded", .count)] + ReportColumn.rate("refund_rate")
    + ["full", "partial", "at_risk_30", "refunded_30"].map { ReportColumn($0, .count) }
    + ReportColumn.rate("refunded_30_rate") + moneyColumns

  private static let refundDayColumns: [ReportColumn] =
    [ReportColumn("refunds", .count), ReportColumn("full", .count)] + ReportColumn.rate("full_rate")
    + [ReportColumn("partial", .count), ReportColumn("payments", .count)] + moneyColumns

  private static let moneyColumns = [
    ReportColumn("gross", .money), ReportColumn("refunded_amount", .money), ReportColumn("refunded_share", .rate),
  ]

  private static func paymentDayValues(_ cell: Cell, _ currency: String) -> [ReportValue] {
    [.count(cell.payments), .count(cell.refunded)] + ReportValue.share(cell.refunded, of: cell.payments)
      + [cell.full, cell.refunded - cell.full, cell.atRisk, cell.refundedInWindow].map { .count($0) }
      + ReportValue.share(cell.refundedInWindow, of: cell.atRisk) + moneyValues(cell, currency)
  }

  private static func refundDayValues(_ cell: Cell, _ currency: String) -> [ReportValue] {
    [.count(cell.refunds), .count(cell.full)] + ReportValue.share(cell.full, of: cell.refunds)
      + [.count(cell.refunds - cell.full), .count(cell.payments)] + moneyValues(cell, currency)
  }

  private static func moneyValues(_ cell: Cell, _ currency: String) -> [ReportValue] {
    [cell.gross, cell.amount].map {
      .money(roundedToOdd($0, dividedBy: ReportCurrency.parts), currency: currency)
    } + [cell.refundedShare]
  }

  /// By row and, behind its dimensions, currency.
  static func cells(_ query: ReportQuery) throws -> [CellKey: Cell] {
    var cells: [CellKey: Cell] = [:]
    let scan = try PersonMoneyScan(query.facts, [.payments, .refunds])
    var rows = try UnitRows(query)
    let currency = ReportCurrency(query)
    let asOf = query.asOfs
    let isByRefundDay = query.options.isByRefundDay
    try scan.forEachPerson { money in
      for payment in money.payments {
        let credits = money.credits[money.spells[payment.spell].credits]
        func change(at instant: Int64, _ paid: NameID, _ change: (NameID, inout Cell) -> Void) {
          rows.forEachRow(credits, of: scan, at: instant) { key in
            var key = key
            key.codes.append(currency.code(paid))
            change(key.app, &cells[key, default: Cell()])
          }
        }
        let refunds = money.refunds[payment.refunds]
        let price = try currency.parts(of: payment.price, payment.currency, at: payment.ts)
        change(at: payment.ts, payment.currency) { app, cell in
          cell.payments += 1
          cell.gross += price
          if isByRefundDay { return }
          if !refunds.isEmpty { cell.refunded += 1 }
          if payment.refundedAt != nil { cell.full += 1 }
          if payment.ts + window <= asOf[app] ?? .min {
            cell.atRisk += 1
            if let first = refunds.first, first.ts < payment.ts + window { cell.refundedInWindow += 1 }
          }
        }
        var back: Int64 = 0
        var isComplete = false
        for refund in refunds {
          if refund.currency == payment.currency { back += refund.amount }
          let completes =
            !isComplete && payment.refundedAt == refund.ts && refund.currency == payment.currency
            && back >= payment.price
          if completes { isComplete = true }
          let amount = try currency.parts(of: refund.amount, refund.currency, at: refund.ts)
          change(at: isByRefundDay ? refund.ts : payment.ts, refund.currency) { _, cell in
            cell.amount += amount
            if !isByRefundDay { return }
            cell.refunds += 1
            if completes { cell.full += 1 }
          }
        }
      }
    }
    try currency.check()
    return cells
  }
}
