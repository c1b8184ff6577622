internal import Lifecycle
public import Store

/// Money received and given back (definitions 7.1).
public enum Revenue {
  private static let defaultBy: [Dimension] = [.variant, .entryPoint]

  /// Sums in ``ReportCurrency/parts`` of a micro-unit of the row's currency.
  struct Cell {
    var payments = 0
    var refunds = 0
    var gross: Int128 = 0
    var refunded: Int128 = 0
    /// What is left of gross − refunded after tax and commission.
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
    let query = try ReportQuery(snapshot, options, defaultBy: defaultBy)
    return query.report(
      "revenue", title: "Revenue",
      definition: [
        "payments and refunds of the days asked for, each by its own day; the other dimensions are those of the first "
          + "payment of its spell (2.8, 2.10, 2.11)",
        "gross: Σ payments; refunded: Σ refunds, in the refund's currency; a refund of no known payment is left out "
          + "(2.7, 7.1)",
        "revenue: by mode gross, net = gross − refunded, or proceeds = net × (1 − tax − commission) as the payment "
          + "records them, a refund those of its payment; store_fee stands for a commission that is not recorded (7.1)",
        "in one currency: each payment and refund by the rate of its own UTC day, or the newest of the 7 days before (1.4)",
      ],
      own: [
        query.currencyParameter, Report.Parameter(name: "mode", value: options.mode.rawValue),
        Report.Parameter(name: "store_fee", value: options.storeFee.description),
      ],
      columns: query.currencyKeyColumns + columns,
      rows: query.rowsByCurrency(try cells(query)) { _, cell, currency in
        [.count(cell.payments), .count(cell.refunds)]
          + [cell.gross, cell.refunded, cell.amount(options.mode)].map {
            .money(roundedToOdd($0, dividedBy: ReportCurrency.parts), currency: currency)
          }
      })
  }

  private static let columns: [ReportColumn] = [
    ReportColumn("payments", .count), ReportColumn("refunds", .count), ReportColumn("gross", .money),
    ReportColumn("refunded", .money), ReportColumn("revenue", .money),
  ]

  /// By row and, behind its dimensions, currency.
  static func cells(_ query: ReportQuery) throws -> [CellKey: Cell] {
    var cells: [CellKey: Cell] = [:]
    let money = ReportCurrency(query)
    let kept = query.options.mode == .proceeds ? try query.keptShares() : nil
    let payments = query.ofSpells(
      .payment,
      columns: [
        "p.number AS money", "p.ts AS ts", "p.price AS amount", "p.currency AS currency", "p.terms AS terms",
      ])
    try forEachSum(query, money, of: payments) { key, amount, terms, count in
      cells[key, default: Cell()].payments += count
      cells[key, default: Cell()].gross += amount * Int128(count)
      if let kept { cells[key, default: Cell()].proceeds += kept(amount, terms) * Int128(count) }
    }
    let refunds = query.ofSpells(
      .refund,
      columns: [
        "p.number AS money", "p.ts AS ts", "p.amount AS amount", "p.currency AS currency", "q.terms AS terms",
      ],
      join: "JOIN \(query.facts.table(.payment)) AS q ON q.person = p.person AND q.number = p.payment")
    try forEachSum(query, money, of: refunds) { key, amount, terms, count in
      cells[key, default: Cell()].refunds += count
      cells[key, default: Cell()].refunded += amount * Int128(count)
      if let kept { cells[key, default: Cell()].proceeds -= kept(amount, terms) * Int128(count) }
    }
    try money.check()
    return cells
  }

  /// Calls `body` with the key, the amount, the terms and the count of what has an amount in common: prices are few.
  private static func forEachSum(
    _ query: ReportQuery, _ money: ReportCurrency, of table: String,
    _ body: (CellKey, Int128, _ terms: Int64, _ count: Int) -> Void
  ) throws {
    let units = query.units(
      from: table, instant: "ts",
      columns: ["currency", "amount", "terms"].map { "f.\($0) AS \($0)" } + ["\(money.day("f.ts")) AS rate_day"],
      unitKey: ["person", "money"])
    let group = (0..<query.by.count).map { ", d\($0)" }.joined()
    try query.facts.forEachRow(
      """
      SELECT app, \(query.dimensionColumns())currency, amount, terms, rate_day, COUNT(*)
      FROM (\(units)) AS u
      GROUP BY app\(group), currency, amount, terms, rate_day
      """
    ) { row in
      let first = 2 + query.by.count
      var key = CellKey(row, dimensions: query.by.count)
      let currency = NameID(row[first - 1])
      key.codes.append(money.code(currency))
      let amount = try money.parts(of: row[first], currency, at: row[first + 2])
      body(key, amount, row[first + 1], row.int(first + 3))
    }
  }
}
