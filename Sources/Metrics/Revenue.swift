internal import Lifecycle
public import Store

/// Money received and given back (definitions 7.1).
public enum Revenue {
  private static let defaultBy: [Dimension] = [.variant, .entryPoint]

  /// Sums in micro-units of the row's currency.
  struct Cell {
    var payments = 0
    var refunds = 0
    var gross: Int128 = 0
    var refunded: Int128 = 0
    /// What is left of gross − refunded after tax and commission, in parts of ``ExactShare/whole``.
    var proceeds: Int128 = 0

    var net: Int128 { gross - refunded }

    /// In micro-units.
    func amount(_ mode: ReportOptions.Mode) -> Int128 {
      switch mode {
      case .gross: gross
      case .net: net
      case .proceeds: roundedToOdd(proceeds, dividedBy: ExactShare.whole)
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
      ],
      own: [
        Report.Parameter(name: "mode", value: options.mode.rawValue),
        Report.Parameter(name: "store_fee", value: options.storeFee.description),
      ],
      columns: query.currencyKeyColumns + columns,
      rows: query.rowsByCurrency(try cells(query)) { _, cell, currency in
        [
          .count(cell.payments), .count(cell.refunds), .money(cell.gross, currency: currency),
          .money(cell.refunded, currency: currency), .money(cell.amount(options.mode), currency: currency),
        ]
      })
  }

  private static let columns: [ReportColumn] = [
    ReportColumn("payments", .count), ReportColumn("refunds", .count), ReportColumn("gross", .money),
    ReportColumn("refunded", .money), ReportColumn("revenue", .money),
  ]

  /// By row and, behind its dimensions, currency.
  static func cells(_ query: ReportQuery) throws -> [CellKey: Cell] {
    var cells: [CellKey: Cell] = [:]
    let kept = query.options.mode == .proceeds ? try keptShares(query) : nil
    let payments = query.ofSpells(
      .payment,
      columns: [
        "p.number AS money", "p.ts AS ts", "p.price AS amount", "p.currency AS currency", "p.terms AS terms",
      ])
    try forEachSum(query, of: payments) { key, amount, terms, count in
      cells[key, default: Cell()].payments += count
      cells[key, default: Cell()].gross += amount
      if let kept { cells[key, default: Cell()].proceeds += amount * kept(terms) }
    }
    let refunds = query.ofSpells(
      .refund,
      columns: [
        "p.number AS money", "p.ts AS ts", "p.amount AS amount", "p.currency AS currency", "q.terms AS terms",
      ],
      join: "JOIN \(query.facts.table(.payment)) AS q ON q.person = p.person AND q.number = p.payment")
    try forEachSum(query, of: refunds) { key, amount, terms, count in
      cells[key, default: Cell()].refunds += count
      cells[key, default: Cell()].refunded += amount
      if let kept { cells[key, default: Cell()].proceeds -= amount * kept(terms) }
    }
    return cells
  }

  /// Calls `body` with the key, the sum of amounts, the terms and the count of what has an amount in common: prices are
  /// few, and their sum is exact however many are added up.
  private static func forEachSum(
    _ query: ReportQuery, of table: String, _ body: (CellKey, Int128, _ terms: Int64, _ count: Int) -> Void
  ) throws {
    let units = query.units(
      from: table, instant: "ts", columns: ["currency", "amount", "terms"].map { "f.\($0) AS \($0)" },
      unitKey: ["person", "money"])
    let group = (0..<query.by.count).map { ", d\($0)" }.joined()
    try query.facts.forEachRow(
      """
      SELECT app, \(query.dimensionColumns())currency, amount, terms, COUNT(*)
      FROM (\(units)) AS u
      GROUP BY app\(group), currency, amount, terms
      """
    ) { row in
      let first = 2 + query.by.count
      let count = row.int(first + 2)
      body(CellKey(row, dimensions: query.by.count + 1), Int128(row[first]) * Int128(count), row[first + 1], count)
    }
  }

  /// By number of the terms of a payment, what is left of its price after tax and commission, in parts of
  /// ``ExactShare/whole``.
  static func keptShares(_ query: ReportQuery) throws -> (Int64) -> Int128 {
    var taken: [Int64: Int128] = [:]
    // As fractions of 10¹²: a share of up to 12 decimals is a whole number of them, which the product is nearest to.
    func parts(_ column: String) -> String { "CAST(ROUND(\(column) * 1e12) AS INTEGER)" }
    try query.facts.forEachRow(
      """
      SELECT id, \(parts("COALESCE(tax_percentage, 0)")), \(parts("commission_percentage"))
      FROM terms
      WHERE tax_percentage IS NOT NULL OR commission_percentage IS NOT NULL
      """
    ) { row in
      taken[row[0]] = Int128(row[1]) + (row.optional(2).map { Int128($0) } ?? query.options.storeFee.parts)
    }
    return { ExactShare.whole - (taken[$0] ?? query.options.storeFee.parts) }
  }
}
