internal import EventModel
internal import Lifecycle
public import Store

/// What the yearly plan saves, as shown and as taken up (definitions 5).
public enum Savings {
  /// Purchases of each plan that a variant needs before its prices stand for a row (definitions 5.2).
  private static let leastPurchases = 5

  private static let defaultBy: [Dimension] = [.variant, .entryPoint]

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    // Every row has a tier already: as a dimension it adds none.
    let query = try ReportQuery(snapshot, options, defaultBy: defaultBy).without(.tier)
    let keyColumns = query.keyColumns + [ReportColumn("tier", .key), ReportColumn("currency", .key)]
    return query.report(
      "savings", title: "What the yearly plan saves",
      definition: [
        "monthly_price, yearly_price: the pair that the row's impressions showed most often, else what its purchases "
          + "paid most often, else what the app's did; price_source says which (5.1, 5.2)",
        "shown_saving: 1 − yearly ÷ (12 × monthly); badge_percent: that in whole percents, never rounded up; "
          + "break_even_months: yearly ÷ monthly (5.3)",
        "purchases: first payments; yearly_share: yearly of all (5.4); realised_saving: Σ over yearly purchases of "
          + "12 × monthly − price paid (5.5)",
        "monthly_value_365d: monthly price × expected payments of a monthly buyer in 365 d; yearly_advantage: yearly "
          + "price − that (5.6). Buyers chose their plan, so it says what two different groups bring, not what a monthly "
          + "buyer would bring on the yearly plan. Split users at random between offers to measure that",
      ],
      columns: keyColumns + columns
        + (options.showsBasis ? basisColumns : []),
      rows: try rows(query))
  }

  private static func rows(_ query: ReportQuery) throws -> [[ReportValue]] {
    var cells: [CellKey: SavingsCell] = [:]
    if query.by.contains(.person) {
      // Prices are those of a row of persons.
      try addPurchases(query, to: &cells)
      if query.options.pricePair != nil { try addShownPrices(query, to: &cells) }
      return rows(query, cells)
    }
    let stored = try CellQuery(query, [.purchase])
    if let stored, try addShownPrices(query, stored, to: &cells) {
      try settleShownTies(query, &cells)
    } else {
      cells.removeAll()
      try addShownPrices(query, to: &cells)
      try settleShownTies(query, &cells)
    }
    let purchases = try stored.map { try self.purchases(query, $0) }
    if let purchases {
      add(purchases, to: &cells)
    } else {
      try addPurchases(query, to: &cells)
    }
    try addPaidPrices(query, stored, purchases, to: &cells)
    return rows(query, cells)
  }

  private static let columns: [ReportColumn] = [
    ReportColumn("price_source", .text), ReportColumn("price_pairs", .count), ReportColumn("monthly_price", .money),
    ReportColumn("yearly_price", .money), ReportColumn("shown_saving", .rate), ReportColumn("badge_percent", .percent),
    ReportColumn("break_even_months", .number), ReportColumn("weekly_purchases", .count),
    ReportColumn("monthly_purchases", .count), ReportColumn("yearly_purchases", .count),
    ReportColumn("lifetime_purchases", .count), ReportColumn("other_purchases", .count),
    ReportColumn("yearly_share", .rate), ReportColumn("realised_saving", .money),
    ReportColumn("monthly_value_365d", .money), ReportColumn("yearly_advantage", .money),
  ]

  private static let basisColumns = ["paid_yearly", "pair_impressions", "price_impressions"].map {
    ReportColumn($0, .count)
  }

  /// The cells have tier and currency as two codes behind those of the dimensions.
  private static func rows(_ query: ReportQuery, _ cells: [CellKey: SavingsCell]) -> [[ReportValue]] {
    let rows = cells.map { key, cell in
      let currency = query.facts.name(Int(key.codes[query.by.count + 1]))
      var labels = query.labels(key)
      labels.append(query.label(.tier, key.codes[query.by.count]))
      labels.append(currency)
      let basis = query.options.showsBasis ? cell.basis(query.options.pricePair) : []
      return (labels: labels, values: cell.values(currency: currency) + basis)
    }
    return rows.sorted { precedesInBytes($0.labels, $1.labels) }.map { $0.labels.map(ReportValue.text) + $0.values }
  }

  /// Definitions 5.1: the pairs of prices on one impression.
  private static func addShownPrices(_ query: ReportQuery, to cells: inout [CellKey: SavingsCell]) throws {
    let units = try impressionUnits(query)
    let group = (0..<query.by.count).map { ", d\($0)" }.joined()
    try query.facts.forEachRow(
      """
      SELECT app, \(query.dimensionColumns())tier, currency, monthly, yearly, COUNT(*), MAX(ts)
      FROM (\(units)) AS u
      GROUP BY app\(group), tier, currency, monthly, yearly
      """
    ) { row in
      let first = 3 + query.by.count
      let pair = SavingsCell.Pair(monthly: row[first], yearly: row[first + 1])
      cells[CellKey(row, dimensions: query.by.count + 2), default: SavingsCell()].pairs[pair] = Tally(
        count: row.int(first + 2), newest: row[first + 3])
    }
  }

  /// The impressions that showed both prices.
  private static func impressionUnits(_ query: ReportQuery) throws -> String {
    query.units(
      from: try query.facts.impressions(), instant: "ts",
      columns: [
        "f.is_family_tier AS tier", "f.currency AS currency", "f.price_monthly AS monthly", "f.price_yearly AS yearly",
        "f.ts AS ts", "f.event_id AS event_id",
      ], where: "f.price_monthly IS NOT NULL AND f.price_yearly IS NOT NULL")
  }

  /// Looks up the ids of the newest impressions of pairs that were shown equally often and last at one instant.
  private static func settleShownTies(_ query: ReportQuery, _ cells: inout [CellKey: SavingsCell]) throws {
    let tied = cells.compactMap { key, cell in cell.pairs.tiedAt.map { (key, $0) } }
    if tied.isEmpty { return }
    // Reads every event: ids are in no fact and in no cell.
    let units = try impressionUnits(query)
    for (key, instant) in tied {
      try query.facts.forEachRow(
        """
        SELECT monthly, yearly, MAX(event_id)
        FROM (\(units)) AS u
        WHERE \(condition(key, query.by.count)) AND ts = \(instant)
        GROUP BY monthly, yearly
        """
      ) { row in
        cells[key]?.pairs[SavingsCell.Pair(monthly: row[0], yearly: row[1])]?.newestID = row.text(2)
      }
    }
  }

  /// That a row of units is of the cell.
  private static func condition(_ key: CellKey, _ dimensions: Int) -> String {
    let codes = zip((0..<dimensions).map { "d\($0)" } + ["tier", "currency"], key.codes)
    return (["app = \(key.app)"] + codes.map { "\($0) = \($1)" }).joined(separator: " AND ")
  }

  /// Definitions 5.4 to 5.6: what was bought, and how often monthly buyers paid.
  private static func addPurchases(_ query: ReportQuery, to cells: inout [CellKey: SavingsCell]) throws {
    let units = query.units(
      from: query.facts.table(.spell), instant: "start",
      columns: [
        "f.is_family_tier AS tier", "f.currency AS currency", "f.plan AS plan", "f.price AS price",
        "f.payments AS payments",
        "CASE WHEN f.grace_end <= \(query.byApp("f.app") { query.asOf(of: $0) }) THEN 1 ELSE 0 END AS is_churned",
      ], where: "f.is_purchase = 1", unitKey: ["person", "number"])
    let group = (0..<query.by.count).map { ", d\($0)" }.joined()
    try query.facts.forEachRow(
      """
      SELECT app, \(query.dimensionColumns())tier, currency, plan, price, payments, is_churned, COUNT(*)
      FROM (\(units)) AS u
      GROUP BY app\(group), tier, currency, plan, price, payments, is_churned
      """
    ) { row in
      let first = 3 + query.by.count
      guard let plan = Plan(rawValue: UInt8(row.int(first))) else { return }
      cells[CellKey(row, dimensions: query.by.count + 2), default: SavingsCell()].buy(
        plan, price: row[first + 1], payments: row.int(first + 2), isChurned: row.int(first + 3) == 1,
        count: row.int(first + 4))
    }
  }

  /// Definitions 5.2: prices paid, for the rows that no pair was shown in.
  private static func addPaidPrices(
    _ query: ReportQuery, _ stored: CellQuery?, _ purchases: [RowPurchases]?, to cells: inout [CellKey: SavingsCell]
  ) throws {
    guard cells.contains(where: { $0.value.shownPair == nil }) else { return }
    let inRow: [CellKey: PaidPrices]
    let inApp: [CellKey: PaidPrices]
    if let stored, let purchases {
      let ofApp = try self.purchases(query, stored, by: [], isFiltered: false)
      inRow = paidPrices(purchases, query, isOfRow: true)
      inApp = paidPrices(ofApp, query, isOfRow: false)
    } else {
      inRow = try paidPrices(query, by: query.by, isOfRow: true)
      inApp = try paidPrices(query, by: [], isOfRow: false)
    }
    for (key, cell) in cells where cell.shownPair == nil {
      if let (variant, prices) = inRow[key]?.leadingVariant, prices.monthlyCount >= leastPurchases,
        prices.yearlyCount >= leastPurchases
      {
        let settled = try settleTies(prices, query, by: query.by, isOfRow: true, key, variant: variant)
        cells[key]?.take(settled, source: "paid")
        continue
      }
      var appKey = key
      appKey.codes = Array(key.codes.suffix(2))
      if let prices = inApp[appKey]?.ofAllVariants {
        cells[key]?.take(try settleTies(prices, query, by: [], isOfRow: false, appKey), source: "paid_app")
      }
    }
  }

  /// Purchases above 0 without an offer, of the two plans.
  private static func paidUnits(_ query: ReportQuery, by: [Dimension], isOfRow: Bool) -> String {
    query.units(
      from: query.facts.table(.spell), instant: "start",
      columns: [
        "f.person AS person", "f.number AS number", "f.is_family_tier AS tier", "f.currency AS currency",
        "f.variant AS price_variant",
        "f.plan AS plan", "f.product AS product", "f.price AS price", "f.start AS start",
      ], where: "f.is_purchase = 1 AND f.price > 0 AND f.has_offer_type = 0 AND f.plan IN (1, 5)", by: by,
      isFiltered: isOfRow, unitKey: [])
  }

  private static func paidPrices(
    _ query: ReportQuery, by: [Dimension], isOfRow: Bool
  ) throws -> [CellKey: PaidPrices] {
    let group = (0..<by.count).map { ", d\($0)" }.joined()
    // In the app a unit counts once, whatever variants it is credited to.
    let variant = isOfRow ? "price_variant" : "0 AS price_variant"
    var prices: [CellKey: PaidPrices] = [:]
    try query.facts.forEachRow(
      """
      SELECT app, \(query.dimensionColumns(by.count))tier, currency, price_variant, plan, price, COUNT(*), MAX(start)
      FROM (
        SELECT DISTINCT app\(group), tier, currency, \(variant), plan, price, person, number, start
        FROM (\(paidUnits(query, by: by, isOfRow: isOfRow))) AS u
      ) AS paid
      GROUP BY app\(group), tier, currency, price_variant, plan, price
      """
    ) { row in
      let first = 3 + by.count
      guard let plan = Plan(rawValue: UInt8(row.int(first + 1))) else { return }
      prices[CellKey(row, dimensions: by.count + 2), default: PaidPrices()].add(
        variant: row.int(first), name: query.facts.name(row.int(first)), plan: plan, price: row[first + 2],
        tally: Tally(count: row.int(first + 3), newest: row[first + 4]))
    }
    return prices
  }

  /// Looks up the ids of the newest payments of prices that were paid equally often and last at one instant.
  private static func settleTies(
    _ prices: PaidPrices.OfVariant, _ query: ReportQuery, by: [Dimension], isOfRow: Bool, _ key: CellKey,
    variant: Int? = nil
  ) throws -> PaidPrices.OfVariant {
    var settled = prices
    for plan in [Plan.monthly, .yearly] {
      guard let instant = (plan == .monthly ? prices.monthly : prices.yearly).tiedAt else { continue }
      try query.facts.forEachRow(
        """
        SELECT u.price, MAX(e.event_id)
        FROM (\(paidUnits(query, by: by, isOfRow: isOfRow))) AS u
        JOIN \(try query.facts.paymentEvents()) AS e
          ON e.person = u.person AND e.ts = u.start AND e.product = u.product AND e.price = u.price
        WHERE \(condition(key, by.count)) AND start = \(instant) AND plan = \(plan.rawValue)
          \(variant.map { "AND price_variant = \($0)" } ?? "")
        GROUP BY u.price
        """
      ) { row in
        if plan == .monthly {
          settled.monthly[row[0]]?.newestID = row.text(1)
        } else {
          settled.yearly[row[0]]?.newestID = row.text(1)
        }
      }
    }
    return settled
  }
}
