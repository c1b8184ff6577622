internal import EventModel
internal import Lifecycle
internal import Store

/// Collects users, their money by age and their purchases for ``LTV`` in one pass over the facts.
struct LTVLedger {
  /// Users followed to each age, by row, then age.
  private(set) var persons: [RowKey: [Int]] = [:]
  private(set) var realised: [RowKey: LTV.RealisedValue] = [:]
  /// Purchases by row and currency, then by plan.
  private(set) var purchases: [RowKey: [Plan: PlanPurchases]] = [:]
  private let query: ReportQuery
  private let first: FirstEvents
  private let scan: PaymentHistoryReader
  private var rows: UnitRows
  private var bought = CurrencySums<[Plan: PlanPurchases]>([:])
  private let reader: PurchaseReader
  private let isByPerson: Bool
  private let lengths = LTV.ages.map { Int64($0) * day }

  /// The traits that determine a user's row, apart from days.
  private struct Traits: Hashable {
    var entry: Int32
    var payment: Int32
    var client: Int32
    var properties: Int32
    var app: NameID
  }

  /// Of rows that are not by user.
  private var rowOfTraits: [Traits: RowKey?] = [:]
  /// The place in ``counts`` by the entry's cellKey, for users whose row depends on nothing else; -1 if unknown.
  private var placeOfEntry: [Int] = []
  private var placeOfRow: [RowKey: Int] = [:]
  private var byPlace: [PlaceAndCurrency: LTV.RealisedValue] = [:]

  private struct PlaceAndCurrency: Hashable {
    var place: Int
    var currency: Int64
  }

  /// Users by place, then by age.
  private var counts: [[Int]] = []

  init(_ query: ReportQuery) throws {
    self.query = query
    isByPerson = query.by.contains(.person)
    let used = query.by + query.options.filters.map(\.dimension)
    let withContext = used.contains(where: \.isContext)
    first = try query.facts.firstEvents(
      withDimensions: used.contains { dimension in
        dimension.isProperty || dimension.isOfClient
      })
    scan = try PaymentHistoryReader(query.facts, withEntries: withContext)
    rows = try UnitRows(query)
    reader = try PurchaseReader(query)
    var isCounted = [Bool](repeating: false, count: first.instants.count)
    try scan.forEachPerson { money in
      isCounted[Int(money.person)] = true
      rows.person = money.person
      try addPerson(money)
      try addPurchases(money)
    }
    try reader.currency.check()
    purchases = bought.byKey(rows.keys)
    for person in isCounted.indices where !isCounted[person] {
      rows.person = Int32(person)
      _ = addFollowed(Int32(person), entry: 0, payment: 0)
    }
    persons = placeOfRow.mapValues { counts[$0] }
    let rowOfPlace = Dictionary(uniqueKeysWithValues: placeOfRow.map { ($0.value, $0.key) })
    for (key, amounts) in byPlace {
      guard let row = rowOfPlace[key.place] else { continue }
      realised[RowKey(app: row.app, codes: row.codes + [key.currency])] = amounts
    }
  }

  // MARK: - Persons

  /// Counts a user at the ages that the user was followed to.
  ///
  /// - Parameters:
  ///   - entry: The cell key of the first impression, 0 for none.
  ///   - payment: The cell key of the first payment's spell, 0 for none.
  /// - Returns: The user's place in ``counts`` and the number of ages reached, which ascend; `nil` if the row is
  ///   filtered out.
  private mutating func addFollowed(_ person: Int32, entry: Int32, payment: Int32) -> (place: Int, ages: Int)? {
    let start = first.instants[Int(person)]
    if start == .max { return nil }
    let app = first.apps[Int(person)]
    guard let asOf = query.asOfs[app], let place = place(person, entry: entry, payment: payment, app, at: start) else {
      return nil
    }
    var followed = 0
    while followed < lengths.count, start + lengths[followed] <= asOf {
      counts[place][followed] += 1
      followed += 1
    }
    return (place, followed)
  }

  /// Returns the place of a user's row; most users differ by their entry alone.
  private mutating func place(
    _ person: Int32, entry: Int32, payment: Int32, _ app: NameID, at start: Int64
  ) -> Int? {
    let isPlain = !isByPerson && payment == 0 && entry > 0 && first.clients.isEmpty && !rows.days.asksForDays
    if isPlain, Int(entry) < placeOfEntry.count, placeOfEntry[Int(entry)] >= 0 { return placeOfEntry[Int(entry)] }
    let traits = Traits(
      entry: entry, payment: payment, client: first.clients.isEmpty ? 0 : first.clients[Int(person)],
      properties: first.clients.isEmpty ? 0 : first.properties[Int(person)], app: app)
    let undated: RowKey?
    if !isByPerson, let known = rowOfTraits[traits] {
      undated = known
    } else {
      undated = rows.undatedRow(facet(traits))
      if !isByPerson { rowOfTraits[traits] = .some(undated) }
    }
    guard let undated, let row = rows.days.row(undated, at: start) else { return nil }
    let place = placeOfRow[row] ?? counts.count
    if place == counts.count {
      placeOfRow[row] = place
      counts.append([Int](repeating: 0, count: lengths.count))
    }
    if isPlain {
      while placeOfEntry.count <= Int(entry) { placeOfEntry.append(-1) }
      placeOfEntry[Int(entry)] = place
    }
    return place
  }

  private func facet(_ traits: Traits) -> UnitFacet {
    var cellKey = traits.payment == 0 ? CellKey(app: traits.app, context: .unattributed) : scan.cellKey(traits.payment)
    cellKey.context = traits.entry == 0 ? .unattributed : scan.cellKey(traits.entry).context
    return UnitFacet(credits: [cellKey], client: traits.client, properties: traits.properties)
  }

  /// Adds a user's money; implements definitions 7.5.
  private mutating func addPerson(_ money: PersonMoney) throws {
    let firstPayment = money.payments.min { ($0.ts, $0.spell) < ($1.ts, $1.spell) }
    let payment = firstPayment.map { money.credits[money.spells[$0.spell].credits.lowerBound].cellKey } ?? 0
    guard let (place, followed) = addFollowed(money.person, entry: money.entry ?? 0, payment: payment),
      followed > 0, !money.payments.isEmpty
    else { return }
    let start = first.instants[Int(money.person)]
    var amounts: [Int64: LTV.RealisedValue] = [:]
    func add(_ amount: Int128, _ currency: Int64, at ts: Int64, isPaid: Bool) {
      for age in 0..<followed where ts < start + lengths[age] {
        amounts[currency, default: LTV.RealisedValue()].sums[age] += amount
        if isPaid { amounts[currency, default: LTV.RealisedValue()].payers[age] = 1 }
      }
    }
    for payment in money.payments {
      add(
        try reader.amount(of: payment), reader.currency.code(payment.currency), at: payment.ts,
        isPaid: payment.price > 0)
      if query.options.mode == .gross { continue }
      for refund in money.refunds[payment.refunds] {
        add(
          -(try reader.amount(of: refund, payment)), reader.currency.code(refund.currency), at: refund.ts, isPaid: false
        )
      }
    }
    for (currency, amount) in amounts {
      byPlace[PlaceAndCurrency(place: place, currency: currency), default: LTV.RealisedValue()].add(amount)
    }
  }

  // MARK: - Purchases

  /// Adds the data of each first purchase that ``PredictedValue`` needs.
  private mutating func addPurchases(_ money: PersonMoney) throws {
    for spell in money.spells where spell.isPurchase {
      let credits = money.credits[spell.credits]
      guard let start = money.payments[spell.payments].first,
        let app = credits.first.map({ scan.cellKey($0.cellKey).app })
      else { continue }
      // Without a row it needs no rate.
      var purchase: PlanPurchases?
      try rows.forEachRow(credits, at: spell.start, scan.cellKey) { row in
        let found = try purchase ?? reader.purchase(spell, of: money, asOf: query.asOfs[app] ?? .min)
        purchase = found
        bought[row, reader.currency.code(start.currency)][start.plan, default: PlanPurchases()].add(found)
      }
    }
  }
}
