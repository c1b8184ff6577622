internal import EventModel
internal import Lifecycle
internal import Store

extension Savings {
  /// Definitions 5.1 from cells.
  ///
  /// - Returns: `false` where the newest of pairs shown equally often is not known, so that only events can decide;
  ///   `cells` are to be forgotten then.
  static func addShownPrices(
    _ query: ReportQuery, _ stored: CellQuery, to cells: inout [CellKey: SavingsCell]
  ) throws -> Bool {
    guard let impressions = try stored.impressions() else { return false }
    let units = query.units(
      from: impressions, instant: "ts",
      columns: [
        "f.is_family_tier AS tier", "f.currency AS currency", "f.price_monthly AS monthly", "f.price_yearly AS yearly",
        "f.impressions AS impressions", "f.newest AS newest",
      ], where: "f.price_monthly IS NOT NULL AND f.price_yearly IS NOT NULL")
    let group = (0..<query.by.count).map { ", d\($0)" }.joined()
    var doubtful: Set<CellKey> = []
    try query.facts.forEachRow(
      """
      SELECT app, \(query.dimensionColumns())tier, currency, monthly, yearly, SUM(impressions), MAX(newest),
        SUM(CASE WHEN newest IS NULL THEN 1 ELSE 0 END)
      FROM (\(units)) AS u
      GROUP BY app\(group), tier, currency, monthly, yearly
      """
    ) { row in
      let first = 3 + query.by.count
      let key = CellKey(row, dimensions: query.by.count + 2)
      let pair = SavingsCell.Pair(monthly: row[first], yearly: row[first + 1])
      cells[key, default: SavingsCell()].pairs[pair] = Tally(
        count: row.int(first + 2), newest: row.optional(first + 3) ?? .min)
      if row.int(first + 4) > 0 { doubtful.insert(key) }
    }
    return !doubtful.contains { cells[$0]?.pairs.isTiedInCount ?? false }
  }

  /// Purchases of one currency, price and offer.
  fileprivate struct Purchases {
    var currency: NameID
    var price: Int64
    var hasOfferType: Bool
    var newest: Int64 = .min
    /// By number of payments.
    var going: [Int] = []
    var churned: [Int] = []

    init(_ purchase: PurchaseUnit) {
      currency = purchase.currency
      price = purchase.price
      hasOfferType = purchase.hasOfferType
    }

    func has(_ purchase: PurchaseUnit) -> Bool {
      price == purchase.price && currency == purchase.currency && hasOfferType == purchase.hasOfferType
    }

    mutating func add(_ purchase: PurchaseUnit, asOf: Int64) {
      newest = max(newest, purchase.start)
      if purchase.graceEnd <= asOf {
        Self.add(purchase.payments, to: &churned)
      } else {
        Self.add(purchase.payments, to: &going)
      }
    }

    private static func add(_ payments: Int, to list: inout [Int]) {
      while list.count <= payments { list.append(0) }
      list[payments] += 1
    }
  }

  /// Purchases of one row of the report and one combination of dimensions, by what was paid.
  struct RowPurchases {
    fileprivate var row: CellKey
    fileprivate var origin: Origin
    fileprivate var purchases: [Purchases]
  }

  /// The purchases of every row.
  ///
  /// - Parameters:
  ///   - by: The row's dimensions; default: the query's.
  ///   - isFiltered: Whether `--where` holds here.
  static func purchases(
    _ query: ReportQuery, _ stored: CellQuery, by: [Dimension]? = nil, isFiltered: Bool = true
  ) throws -> [RowPurchases] {
    var rows: [RowPurchases] = []
    try stored.forEachRow(.purchase, by: by, isFiltered: isFiltered) { key, origin, scan in
      let asOf = query.asOfs[origin.app] ?? .min
      var list: [Purchases] = []
      var last = 0
      try scan { cell in
        cell.forEachPurchase { purchase in
          if last >= list.count || !list[last].has(purchase) {
            last = list.firstIndex { $0.has(purchase) } ?? list.count
            if last == list.count { list.append(Purchases(purchase)) }
          }
          list[last].add(purchase, asOf: asOf)
        }
      }
      if !list.isEmpty { rows.append(RowPurchases(row: key, origin: origin, purchases: list)) }
    }
    return rows
  }

  /// Definitions 5.4 to 5.6 from cells.
  static func add(_ rows: [RowPurchases], to cells: inout [CellKey: SavingsCell]) {
    for row in rows {
      guard let plan = row.plan else { continue }
      for purchases in row.purchases {
        let key = row.key(purchases)
        for (counts, isChurned) in [(purchases.going, false), (purchases.churned, true)] {
          for (payments, count) in counts.enumerated() where count > 0 {
            cells[key, default: SavingsCell()].buy(
              plan, price: purchases.price, payments: payments, isChurned: isChurned, count: count)
          }
        }
      }
    }
  }

  /// Definitions 5.2 from cells: the prices of purchases above 0 without an offer, of the two plans.
  static func paidPrices(_ rows: [RowPurchases], _ query: ReportQuery, isOfRow: Bool) -> [CellKey: PaidPrices] {
    var prices: [CellKey: PaidPrices] = [:]
    for row in rows {
      guard let plan = row.plan, plan == .monthly || plan == .yearly else { continue }
      // In the app a unit counts once, whatever variants it is credited to.
      let variant = isOfRow ? Int(row.origin.context.variant) : 0
      for purchases in row.purchases where purchases.price > 0 && !purchases.hasOfferType {
        prices[row.key(purchases), default: PaidPrices()].add(
          variant: variant, name: query.facts.name(variant), plan: plan, price: purchases.price,
          tally: Tally(
            count: purchases.going.reduce(0, +) + purchases.churned.reduce(0, +), newest: purchases.newest))
      }
    }
    return prices
  }
}

extension Savings.RowPurchases {
  fileprivate var plan: Plan? { Plan(rawValue: UInt8(truncatingIfNeeded: origin.plan)) }

  /// The row's key with tier and currency.
  fileprivate func key(_ purchases: Savings.Purchases) -> CellKey {
    CellKey(app: row.app, codes: row.codes + [origin.isFamilyTier ? 1 : 0, Int64(purchases.currency)])
  }
}
