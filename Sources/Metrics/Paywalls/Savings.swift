internal import EventModel
internal import Lifecycle
public import Store

/// Reports the saving of the yearly plan, as shown and as taken up (definitions 5).
public enum Savings {
  /// The least purchases of each plan for a variant's prices to stand for a row (definitions 5.2).
  private static let leastPurchases = 5

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    // Every row already has a tier, so it adds nothing as a dimension.
    let query = try ReportQuery(snapshot, options, by: .savings).without(.tier)
    return query.report(
      "savings", title: "What the yearly plan saves",
      definition: [
        "monthly_price, yearly_price: the pair that most paywall views of the row showed, else the prices most "
          + "often paid in the row, else in the app. price_source says which (5.1, 5.2)",
        "shown_saving: 1 − yearly ÷ (12 × monthly). badge_percent: the same in whole percents, never rounded up. "
          + "break_even_months: yearly ÷ monthly (5.3)",
        "purchases: first payments. yearly_share: share of yearly ones (5.4). realised_saving: sum of 12 × monthly "
          + "− price paid over yearly purchases (5.5)",
        "monthly_value_365d: monthly price × payments expected from a monthly buyer in 365 d. yearly_advantage: "
          + "yearly price − monthly_value_365d (5.6)",
        "Buyers chose their plan, so yearly_advantage compares two different groups. It does not say what a monthly "
          + "buyer would bring on the yearly plan. To measure that, split users at random between offers",
      ],
      columns: columns(query.options.pricePair), rows: try rows(query))
  }

  /// Returns sums as rows, whose keys have tier and currency as two codes after those of the dimensions.
  private static func rows(_ query: ReportQuery) throws -> SumsRows<SavingsSums> {
    var sumsOfRows: [RowKey: SavingsSums] = [:]
    let units = try CellQuery(query, [.purchase])
    // Prices belong to rows of users. For a single user, only the prices that the row's prices come from are needed.
    let isOfRows = !query.by.contains(.person)
    if isOfRows || query.options.pricePair != nil { sumsOfRows = try shownPrices(units) }
    if isOfRows { try settleShownTies(units, &sumsOfRows) }
    let purchases = try self.purchases(query, units)
    add(purchases, to: &sumsOfRows)
    if isOfRows { try addPaidPrices(query, units, purchases, to: &sumsOfRows) }
    return query.rows(sumsOfRows, keys: ["tier", "currency"]) {
      [query.label(.tier, $0.codes[query.by.count]), query.facts.name(Int($0.codes[query.by.count + 1]))]
    }
  }

  /// The columns; implements definitions 5.3 and 5.5.
  ///
  /// - Parameter pair: The pair of prices whose impressions are counted.
  private static func columns(_ pair: SavingsSums.Pair?) -> [SumsColumn<SavingsSums>] {
    [
      .text("price_source", \.source), .count("price_pairs", \.pairs.count),
      .money("monthly_price", { $0.monthly.map { Int128($0) } }, parts: 1),
      .money("yearly_price", { $0.yearly.map { Int128($0) } }, parts: 1), .rate("shown_saving") { $0.saving?.double },
      SumsColumn([ReportColumn("badge_percent", .percent)]) { sums, _ in [.percent(sums.badge)] },
      .number("break_even_months") { $0.breakEven?.double }, .count("weekly_purchases") { $0.count(.weekly) },
      .count("monthly_purchases") { $0.count(.monthly) }, .count("yearly_purchases") { $0.count(.yearly) },
      .count("lifetime_purchases") { $0.count(.lifetime) }, .count("other_purchases", \.others),
      .plainShare("yearly_share", { $0.count(.yearly) }, of: \.all),
      .money("realised_saving", \.realised, parts: 1), .estimate("monthly_value_365d", \.monthlyValue),
      .estimate("yearly_advantage") { sums in
        sums.yearly.flatMap { yearly in sums.monthlyValue.map { Double(yearly) - $0 } }
      },
      .count("paid_yearly", \.yearlyPaid.count).basis,
      .count("pair_impressions") { sums in pair.flatMap { sums.pairs[$0] }?.count ?? 0 }.basis,
      .count("price_impressions", \.pairs.total).basis,
    ]
  }

  private static func key(_ row: RowKey, isFamilyTier: Bool, _ currency: NameID) -> RowKey {
    RowKey(app: row.app, codes: row.codes + [isFamilyTier ? 1 : 0, Int64(currency)])
  }

  // MARK: - Shown prices

  /// Returns the pairs of prices shown on one impression, from which ``SavingsSums/shownPair`` takes one.
  private static func shownPrices(_ units: CellQuery) throws -> [RowKey: SavingsSums] {
    var sumsOfRows: [RowKey: SavingsSums] = [:]
    var doubtful: Set<RowKey> = []
    func add(_ row: RowKey, _ prices: ShownPrices) {
      let key = key(row, isFamilyTier: prices.facet.cellKey.isFamilyTier, prices.currency)
      let pair = SavingsSums.Pair(monthly: prices.monthly, yearly: prices.yearly)
      let tally = Tally(count: prices.impressions, newest: prices.newest ?? .min)
      sumsOfRows[key, default: SavingsSums()].pairs[pair] =
        sumsOfRows[key]?.pairs[pair].map { $0.merged(with: tally) } ?? tally
      if prices.newest == nil { doubtful.insert(key) }
    }
    let areKnown = try units.forEachShownPrice(add)
    if areKnown || !doubtful.contains(where: { sumsOfRows[$0]?.pairs.isTiedInCount ?? false }) { return sumsOfRows }
    // The newest of equally frequent pairs is unknown; only events can decide.
    sumsOfRows.removeAll()
    _ = try units.forEachShownPrice(fromEvents: true, add)
    return sumsOfRows
  }

  /// Looks up the ids of the newest impressions of pairs shown equally often and last at the same instant; neither
  /// facts nor cells contain ids.
  private static func settleShownTies(_ units: CellQuery, _ sumsOfRows: inout [RowKey: SavingsSums]) throws {
    let tied = sumsOfRows.compactMapValues(\.pairs.tiedAt)
    if tied.isEmpty { return }
    try units.forEachShownPrice(at: Set(tied.values)) { row, prices, id in
      let key = key(row, isFamilyTier: prices.facet.cellKey.isFamilyTier, prices.currency)
      guard tied[key] == prices.newest else { return }
      sumsOfRows[key]?.pairs[SavingsSums.Pair(monthly: prices.monthly, yearly: prices.yearly)]?.take(id: id)
    }
  }

  // MARK: - Purchases

  /// Purchases at one currency, price and offer.
  private struct Purchases {
    var currency: NameID
    var price: Int64
    var hasOfferType: Bool
    var newest: Int64 = .min
    /// Counts by number of payments.
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

  /// Purchases of one report row and one combination of dimensions, by amount paid.
  private struct RowPurchases {
    var row: RowKey
    var credits: [CellKey]
    var purchases: [Purchases]

    var plan: Plan? { Plan(rawValue: UInt8(truncatingIfNeeded: credits[0].plan)) }

    /// Returns the row's key with tier and currency.
    func key(_ purchases: Purchases) -> RowKey {
      Savings.key(row, isFamilyTier: credits[0].isFamilyTier, purchases.currency)
    }
  }

  /// Returns the purchases of every row.
  ///
  /// - Parameters:
  ///   - by: The row's dimensions; by default the query's.
  ///   - isFiltered: Whether `--where` applies.
  private static func purchases(
    _ query: ReportQuery, _ units: CellQuery, by: [Dimension]? = nil, isFiltered: Bool = true
  ) throws -> [RowPurchases] {
    var rows: [RowPurchases] = []
    try units.forEachRow(.purchase, by: by, isFiltered: isFiltered) { key, credits, scan in
      let asOf = query.asOfs[key.app] ?? .min
      var list: [Purchases] = []
      var last = 0
      try scan { sums in
        sums.forEachPurchase { purchase in
          if last >= list.count || !list[last].has(purchase) {
            last = list.firstIndex { $0.has(purchase) } ?? list.count
            if last == list.count { list.append(Purchases(purchase)) }
          }
          list[last].add(purchase, asOf: asOf)
        }
      }
      if !list.isEmpty { rows.append(RowPurchases(row: key, credits: credits, purchases: list)) }
    }
    return rows
  }

  /// Adds the purchases and the number of payments of monthly buyers.
  private static func add(_ rows: [RowPurchases], to sumsOfRows: inout [RowKey: SavingsSums]) {
    for row in rows {
      guard let plan = row.plan else { continue }
      for purchases in row.purchases {
        let key = row.key(purchases)
        for (counts, isChurned) in [(purchases.going, false), (purchases.churned, true)] {
          for (payments, count) in counts.enumerated() where count > 0 {
            sumsOfRows[key, default: SavingsSums()].buy(
              plan, price: purchases.price, payments: payments, isChurned: isChurned, count: count)
          }
        }
      }
    }
  }

  // MARK: - Paid prices

  /// The source of a row's prices.
  private struct PaidChoice {
    var key: RowKey
    /// The row of the purchases, with tier and currency.
    var row: RowKey
    /// The variant of the purchases; `nil` for the whole app.
    var variant: Int?
    var prices: PaidPrices.OfPlans

    /// The instants at which equally frequent prices were last paid, by plan.
    var ties: [(plan: Plan, instant: Int64)] {
      prices.compactMap { plan, prices in prices.tiedAt.map { (plan, $0) } }
    }
  }

  /// Adds paid prices to rows that had no pair shown; implements definitions 5.2.
  private static func addPaidPrices(
    _ query: ReportQuery, _ units: CellQuery, _ purchases: [RowPurchases], to sumsOfRows: inout [RowKey: SavingsSums]
  ) throws {
    guard sumsOfRows.contains(where: { $0.value.shownPair == nil }) else { return }
    let inRow = paidPrices(purchases, query, isOfRow: true)
    let inApp = paidPrices(try self.purchases(query, units, by: [], isFiltered: false), query, isOfRow: false)
    var choices: [PaidChoice] = []
    for (key, sums) in sumsOfRows where sums.shownPair == nil {
      if let (variant, prices) = inRow[key]?.leadingVariant,
        [.monthly, .yearly].allSatisfy({ prices[$0]?.total ?? 0 >= leastPurchases })
      {
        choices.append(PaidChoice(key: key, row: key, variant: variant, prices: prices))
        continue
      }
      var row = key
      row.codes = Array(key.codes.suffix(2))
      if let prices = inApp[row]?.ofAllVariants {
        choices.append(PaidChoice(key: key, row: row, variant: nil, prices: prices))
      }
    }
    try settlePaidTies(query, units, &choices)
    for choice in choices {
      sumsOfRows[choice.key]?.take(choice.prices, source: choice.variant == nil ? "paid_app" : "paid")
    }
  }

  /// Returns the prices above 0 of purchases without an offer, for the monthly and the yearly plan.
  private static func paidPrices(
    _ rows: [RowPurchases], _ query: ReportQuery, isOfRow: Bool
  ) -> [RowKey: PaidPrices] {
    var prices: [RowKey: PaidPrices] = [:]
    for row in rows {
      guard let plan = row.plan, plan == .monthly || plan == .yearly else { continue }
      // App-wide, a unit counts once, whichever variants it is credited to.
      let variants = isOfRow ? Set(row.credits.map { Int($0.context.variant) }) : [0]
      for purchases in row.purchases where purchases.price > 0 && !purchases.hasOfferType {
        let tally = Tally(
          count: purchases.going.reduce(0, +) + purchases.churned.reduce(0, +), newest: purchases.newest)
        for variant in variants {
          prices[row.key(purchases), default: PaidPrices()].add(
            variant: variant, name: query.facts.name(variant), plan: plan, price: purchases.price, tally: tally)
        }
      }
    }
    return prices
  }

  /// Looks up the ids of the newest payments of prices paid equally often and last at the same instant.
  private static func settlePaidTies(
    _ query: ReportQuery, _ units: CellQuery, _ choices: inout [PaidChoice]
  ) throws {
    let instants = Set(choices.flatMap { $0.ties.map(\.instant) })
    if instants.isEmpty { return }
    var bought: [Int32: [(purchase: PersonUnits.Purchase, credits: [CellKey])]] = [:]
    try query.facts.forEachPersonWithCredits { person, units, cellKey in
      for purchase in units.purchases where instants.contains(purchase.unit.start) {
        guard purchase.unit.price > 0, !purchase.unit.hasOfferType else { continue }
        bought[person, default: []].append((purchase, units.credits[purchase.credits].map(cellKey)))
      }
    }
    try query.facts.forEachHistory(of: bought.keys.sorted()) { history in
      for (purchase, credits) in bought[history.person] ?? [] {
        let unit = purchase.unit
        guard let id = query.facts.idOfFirstPayment(of: unit, history),
          let plan = Plan(rawValue: UInt8(truncatingIfNeeded: credits[0].plan))
        else { continue }
        for place in choices.indices {
          guard choices[place].ties.contains(where: { $0 == (plan, unit.start) }) else { continue }
          let variant = choices[place].variant
          let rows = units.rows(of: purchase, credits, by: variant == nil ? [] : query.by, isFiltered: variant != nil)
          let isOfRow = rows.contains { row in
            key(row.key, isFamilyTier: credits[0].isFamilyTier, unit.currency) == choices[place].row
              && (variant == nil || row.credits.contains { Int($0.context.variant) == variant })
          }
          guard isOfRow else { continue }
          choices[place].prices[plan]?[unit.price]?.take(id: id)
        }
      }
    }
  }
}

extension FactSource {
  /// Returns the id of the event that started a purchase; of several, the last in byte order.
  fileprivate func idOfFirstPayment(of purchase: PurchaseUnit, _ history: PersonHistory) -> String? {
    let products = history.facts.spells.filter {
      $0.isPurchase && $0.start == purchase.start && $0.price == purchase.price && $0.currency == purchase.currency
    }.map { $0.product == 0 ? "" : name(Int($0.product)) }
    return history.events.filter {
      [.conversion, .renewal, .payment].contains($0.kind) && $0.exclusion == nil && $0.ts == purchase.start
        && $0.price == purchase.price && products.contains($0.product)
    }.map(\.id).max(by: precedesInBytes)
  }
}
