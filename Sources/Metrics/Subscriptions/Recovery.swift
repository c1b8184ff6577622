internal import Lifecycle
public import Store

/// Reports how many failed charges are recovered, when, and how much money (definitions 12).
public enum Recovery {
  /// The days after a failed charge at which the share that came back is given (definitions 12.2).
  public static let ages = [1, 3, 7, 16, 30, 60]

  struct Sums {
    var charges = 0
    var open = 0
    var recovered = 0
    var cancelled = 0
    var lost = 0
    /// Charges whose window is over, and those of them that came back.
    var matured = 0
    var maturedRecovered = 0
    var afterAccess = 0
    /// With another grace, of those whose window is over: paid while access lasted, and lost with free access.
    var recoveredInside = 0
    var lostWithAccess = 0
    var waits = AgedTimes(ages)
    /// In ``ReportCurrency/parts`` of a micro-unit of the row's currency.
    var atRisk: Int128 = 0
    var recoveredAmount: Int128 = 0
    var lostAmount: Int128 = 0
    var openAmount: Int128 = 0

    /// So that the amounts add up as they are printed.
    var repriced: Int128 {
      func printed(_ amount: Int128) -> Int128 { roundedToOdd(amount, dividedBy: ReportCurrency.parts) }
      return printed(recoveredAmount) + printed(lostAmount) + printed(openAmount) - printed(atRisk)
    }
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    try options.inOneCurrency(snapshot) { options in
      let query = try ReportQuery(snapshot, options, by: .recovery)
      let graceWhatIf = options.graceWhatIf
      return query.report(
        "recovery", title: "Failed charges and what came back",
        definition: [
          "charges: failed charges by their day; repeated failures before the next payment are one. recovered: by the next payment of the "
            + "subscription, or the conversion of the trial; cancelled: the user cancelled, or the payment before was "
            + "refunded; lost: neither in 60 d; open: not known yet (12.1)",
          "recovered_rate: of charges at least 60 d old, with Wilson's 95% interval. recovered_N_rate: Aalen–Johansen "
            + "estimate N days after the charge failed, from the most recent ones too (12.2)",
          "at_risk: price of the last payment before, of a trial the price most often paid for its product, in the "
            + "currency of the payment that came back, else in the user's country. at_risk + repriced = "
            + "recovered_amount + lost_amount + open_amount (12.3)",
          "after_access: share of the recovered whose payment came after the end of cover and grace (12.4)",
        ]
          + (graceWhatIf == nil
            ? []
            : [
              "recovered_inside: charges at least 60 d old whose payment came before the end of a grace of --grace-whatif; "
                + "lost_with_access: those lost with access left on it. This counts what happened; a longer grace can "
                + "change what users do (12.4)"
            ]),
        own: [
          query.currencyParameter,
          Report.Parameter(name: "grace_whatif", value: graceWhatIf.map(ReportQuery.days) ?? ""),
        ],
        readsEvents: true,
        columns: columns + (graceWhatIf == nil ? [] : whatIfColumns), rows: query.rowsByCurrency(try sumsOfRows(query)))
    }
  }

  private static let columns: [SumsColumn<Sums>] = [
    .count("charges", \.charges), .count("open", \.open), .count("matured", \.matured),
    .count("recovered", \.recovered), .count("cancelled", \.cancelled), .count("lost", \.lost),
    .share("recovered_rate", \.maturedRecovered, of: \.matured),
    .incidence("recovered", at: ages, \.waits, median: ("hours_p50", day / 24)), .money("at_risk", \.atRisk),
    .money("recovered_amount", \.recoveredAmount), .money("repriced", \.repriced, parts: 1),
    .money("lost_amount", \.lostAmount), .money("open_amount", \.openAmount),
    .plainShare("after_access", \.afterAccess, of: \.recovered),
    .count("matured_recovered", \.maturedRecovered).basis,
  ]

  private static let whatIfColumns: [SumsColumn<Sums>] = [
    .count("recovered_inside") { $0.matured == 0 ? nil : $0.recoveredInside },
    .count("lost_with_access") { $0.matured == 0 ? nil : $0.lostWithAccess },
  ]

  /// Returns sums by row, whose key ends with the currency.
  private static func sumsOfRows(_ query: ReportQuery) throws -> [RowKey: Sums] {
    var rows = try UnitRows(query)
    var sumsOfRows = CurrencySums(Sums())
    let currency = ReportCurrency(query)
    let asOfs = query.asOfs
    let prices = try ProductPrices(query)
    try query.facts.forEachFailedCharge { stored, cellKey in
      let charge = stored.fact
      guard let asOf = asOfs[stored.app] else { return }
      let before = charge.before ?? prices.price(of: charge, app: stored.app)
      rows.person = stored.person
      if rows.asksForStages { rows.stage = PaymentStage(before: charge) }
      try rows.forEachRow(stored.credits[...], at: charge.opened, cellKey) { row in
        let atRisk = try currency.parts(
          of: before.price, before.currency, terms: charge.before?.terms, at: charge.opened)
        sumsOfRows[row, currency.code(before.currency)].add(charge, atRisk: atRisk, asOf: asOf)
        if let grace = query.options.graceWhatIf {
          sumsOfRows[row, currency.code(before.currency)].add(
            charge, withGrace: grace, insteadOf: query.options.grace, asOf: asOf)
        }
        guard let recovery = charge.recovery else { return }
        let amount = try currency.parts(of: recovery.price, recovery.currency, terms: recovery.terms, at: recovery.ts)
        sumsOfRows[row, currency.code(recovery.currency)].recoveredAmount += amount
      }
    }
    try currency.check()
    return sumsOfRows.byKey(rows.keys)
  }
}

extension Recovery.Sums {
  /// Adds a charge; implements definitions 12.2.
  fileprivate mutating func add(_ charge: FailedChargeFact, atRisk: Int128, asOf: Int64) {
    charges += 1
    self.atRisk += atRisk
    let isMature = charge.opened + FailedChargeFact.window <= asOf
    if isMature { matured += 1 }
    waits.observe(from: charge.opened, until: asOf)
    switch charge.outcome {
    case .open:
      open += 1
      openAmount += atRisk
      waits.times.add(openAfter: asOf - charge.opened)
    case .recovered:
      recovered += 1
      if isMature { maturedRecovered += 1 }
      if charge.ended >= charge.accessEnd { afterAccess += 1 }
      waits.times.add(happenedAfter: charge.ended - charge.opened)
    case .cancelled, .lost:
      if charge.outcome == .lost { lost += 1 } else { cancelled += 1 }
      lostAmount += atRisk
      waits.times.add(missedAfter: charge.ended - charge.opened)
    }
  }
}

extension Recovery.Sums {
  /// Counts a charge as if access had lasted longer; a later end of access that an event set stays;
  /// implements definitions 12.4.
  fileprivate mutating func add(
    _ charge: FailedChargeFact, withGrace grace: Int64, insteadOf own: Int64, asOf: Int64
  ) {
    guard charge.opened + FailedChargeFact.window <= asOf else { return }
    // A lifetime plan never ends.
    func end(with grace: Int64) -> Int64 { charge.coverEnd == .max ? .max : charge.coverEnd + grace }
    let end = max(end(with: grace), charge.accessEnd > end(with: own) ? charge.accessEnd : .min)
    if charge.outcome == .recovered, charge.ended < end { recoveredInside += 1 }
    if charge.outcome == .lost, end > max(charge.opened, charge.coverEnd) { lostWithAccess += 1 }
  }
}

/// The prices most often paid for each product, for trials: of purchases above 0 without an offer;
/// implements definitions 12.3.
private struct ProductPrices {
  /// Purchases of a product: all, or those of a country or a currency.
  private struct Key: Hashable {
    var app: NameID
    var product: NameID
    var country: NameID = 0
    var currency: NameID = 0
  }

  private struct Price: Hashable {
    var price: Int64
    var currency: NameID
  }

  private let prices: [Key: Price]
  private let clients: [FactSource.Client]

  init(_ query: ReportQuery) throws {
    let clients = try query.facts.clients()
    self.clients = clients
    var counts: [Key: [Price: Tally]] = [:]
    try query.facts.forEachRow(
      """
      SELECT app, product, price, currency, start, client FROM \(query.facts.table(.spell))
      WHERE credit = 0 AND is_purchase = 1 AND price > 0 AND has_offer_type = 0
      """
    ) { row in
      let price = Price(price: row[2], currency: row.int32(3))
      let all = Key(app: row.int32(0), product: row.int32(1))
      let country = Self.key(all, country: clients[row.int(5)].country)
      for key in Set([all, country, Self.key(all, currency: price.currency)]) {
        counts[key, default: [:]].add(Tally(count: 1, newest: try row.instant(4)), to: price)
      }
    }
    prices = counts.compactMapValues { $0.mostOften { ($0.price, $0.currency) < ($1.price, $1.currency) } }
  }

  private static func key(_ all: Key, country: NameID = 0, currency: NameID = 0) -> Key {
    Key(app: all.app, product: all.product, country: country, currency: currency)
  }

  /// Returns what the charge of a trial would have been: nothing, in no currency, if nobody bought its product.
  ///
  /// If it came back, it is in the currency of the payment; else it has the price of the user's country.
  func price(of charge: FailedChargeFact, app: NameID) -> FailedChargeFact.Paid {
    let all = Key(app: app, product: charge.product)
    let country = Self.key(all, country: clients[Int(charge.dimensions.client)].country)
    let currency = charge.recovery?.currency ?? 0
    let known = [country, Self.key(all, currency: currency), all].lazy.compactMap { prices[$0] }
      .first { currency == 0 || $0.currency == currency }
    if known == nil, currency != 0, let recovery = charge.recovery { return recovery }
    return FailedChargeFact.Paid(ts: charge.opened, price: known?.price ?? 0, currency: known?.currency ?? 0, terms: 0)
  }
}
