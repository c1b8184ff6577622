internal import Lifecycle
public import Store

/// Reports money received and refunded (definitions 7.1).
public enum Revenue {
  /// Sums in ``ReportCurrency/parts`` of a micro-unit of the row's currency.
  struct Sums {
    var payments = 0
    var refunds = 0
    var gross: Int128 = 0
    var refunded: Int128 = 0
    /// Gross − refunded after tax and commission.
    var proceeds: Int128 = 0

    var net: Int128 { gross - refunded }

    func amount(_ mode: ReportOptions.Mode) -> Int128 {
      switch mode {
      case .gross: gross
      case .net: net
      case .proceeds: proceeds
      }
    }
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    try options.inOneCurrency(snapshot) { options in
      let query = try ReportQuery(snapshot, options, by: .revenue)
      return query.report(
        "revenue", title: "Revenue",
        definition: [
          "Payments and refunds, each counted on the day it happened. The other dimensions are those of the first "
            + "payment of the subscription's spell (2.8, 2.10, 2.11)",
          "gross: sum of payments. refunded: sum of refunds, in the refund's currency. A refund of an unknown payment "
            + "does not count (2.7, 7.1)",
          "revenue: by --mode. gross is the payments, net is gross − refunded, proceeds is net × (1 − tax − "
            + "commission) as the payment records them. A refund has the shares of its payment. store_fee stands in "
            + "for a commission that is not recorded (7.1)",
          ReportCurrency.definition,
        ],
        own: query.moneyParameters,
        columns: columns(options.mode), rows: query.rowsByCurrency(try sumsOfRows(query)))
    }
  }

  private static func columns(_ mode: ReportOptions.Mode) -> [SumsColumn<Sums>] {
    [
      .count("payments", \.payments), .count("refunds", \.refunds), .money("gross", \.gross),
      .money("refunded", \.refunded), .money("revenue") { $0.amount(mode) },
    ]
  }

  /// Returns sums by row, whose key ends with the currency.
  static func sumsOfRows(_ query: ReportQuery) throws -> [RowKey: Sums] {
    var sumsOfRows = CurrencySums(Sums())
    let keys = try forEachUnit(query) { unit in sumsOfRows[unit.row, unit.currency].add(unit) }
    return sumsOfRows.byKey(keys)
  }

  /// A payment or a refund that falls in a row.
  struct Unit {
    /// The place of the row's key.
    var row: Int
    /// The currency's code in the row's key.
    var currency: Int64
    var person: Int32
    var isRefund: Bool
    /// In ``ReportCurrency/parts``, as the proceeds.
    var amount: Int128
    var proceeds: Int128
    /// The currency of the payment or refund itself, and its micro-units of it.
    var own: (currency: NameID, amount: Int64)
  }

  /// Calls `body` with each payment and refund of the days, once for each row that it is credited to.
  ///
  /// - Returns: The keys of the rows.
  static func forEachUnit(_ query: ReportQuery, _ body: (Unit) throws -> Void) throws -> [RowKey] {
    let scan = try PaymentHistoryReader(query.facts)
    var rows = try UnitRows(query)
    let currency = ReportCurrency(query)
    let kept = query.options.mode == .proceeds ? try query.proceedsShares() : nil
    try scan.forEachPerson { money in
      rows.person = money.person
      let stages = rows.asksForStages ? money.stages : []
      for (place, payment) in money.payments.enumerated() {
        if rows.asksForStages { rows.stage = stages[place] }
        let credits = money.credits[money.spells[payment.spell].credits]
        let terms = Int64(payment.terms)
        try rows.forEachRow(credits, at: payment.ts, scan.cellKey) { row in
          // Only selected payments, because other days need no rate.
          let amount = try currency.parts(of: payment)
          try body(
            Unit(
              row: row, currency: currency.code(payment.currency), person: money.person, isRefund: false,
              amount: amount, proceeds: kept?(amount, terms) ?? 0, own: (payment.currency, payment.price)))
        }
        for refund in money.refunds[payment.refunds] {
          try rows.forEachRow(credits, at: refund.ts, scan.cellKey) { row in
            let amount = try currency.parts(of: refund, of: payment)
            try body(
              Unit(
                row: row, currency: currency.code(refund.currency), person: money.person, isRefund: true,
                amount: amount, proceeds: kept?(amount, terms) ?? 0, own: (refund.currency, refund.amount)))
          }
        }
      }
    }
    try currency.check()
    return rows.keys
  }
}

extension Revenue.Sums {
  mutating func add(_ unit: Revenue.Unit) {
    if unit.isRefund {
      refunds += 1
      refunded += unit.amount
      proceeds -= unit.proceeds
    } else {
      payments += 1
      gross += unit.amount
      proceeds += unit.proceeds
    }
  }
}
