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
  /// The rows of purchases, and those of users.
  private var rows: UnitRows
  private var userRows: UnitRows
  private var bought = CurrencySums<[Plan: PlanPurchases]>([:])
  private var received = CurrencySums(LTV.RealisedValue())
  /// Users by age.
  private var counts = RowSums([Int](repeating: 0, count: LTV.ages.count))
  private let reader: PurchaseReader
  private let lengths = LTV.ages.map { Int64($0) * day }

  /// The cell keys that a user's dimensions come from; 0 for none.
  private struct Origin: Hashable {
    /// Of the first impression.
    var entry: Int32
    /// Of the first payment's spell.
    var payment: Int32
    var app: NameID
  }

  private var origins = RowInterner<Origin>()
  /// The numbers among ``origins`` of users with an entry alone, by its cell key; -1 if unknown.
  private var numberOfEntry: [Int32] = []

  init(_ query: ReportQuery) throws {
    self.query = query
    let used = query.by + query.options.filters.map(\.dimension)
    let withContext = used.contains(where: \.isContext)
    first = try query.facts.firstEvents(
      withDimensions: used.contains { dimension in
        dimension.isProperty || dimension.isOfClient
      })
    scan = try PaymentHistoryReader(query.facts, withEntries: withContext)
    rows = try UnitRows(query)
    userRows = rows
    reader = try PurchaseReader(query)
    var isCounted = [Bool](repeating: false, count: first.instants.count)
    try scan.forEachPerson { money in
      isCounted[Int(money.person)] = true
      (rows.person, userRows.person) = (money.person, money.person)
      try addPerson(money)
      try addPurchases(money)
    }
    try reader.currency.check()
    purchases = bought.byKey(rows.keys)
    for person in isCounted.indices where !isCounted[person] {
      userRows.person = Int32(person)
      _ = addFollowed(Int32(person), entry: 0, payment: 0)
    }
    persons = counts.byKey(userRows.keys)
    realised = received.byKey(userRows.keys)
  }

  // MARK: - Persons

  /// Counts a user at the ages that the user was followed to.
  ///
  /// - Returns: The user's row and the number of ages reached, which ascend; `nil` if the row is filtered out.
  private mutating func addFollowed(_ person: Int32, entry: Int32, payment: Int32) -> (place: Int, ages: Int)? {
    let start = first.instants[Int(person)]
    if start == .max { return nil }
    let app = first.apps[Int(person)]
    guard let asOf = query.asOfs[app], let place = place(person, entry: entry, payment: payment, app, at: start) else {
      return nil
    }
    let followed = lengths.prefix { start + $0 <= asOf }.count
    for age in lengths.indices { counts[place][age] += age < followed ? 1 : 0 }
    return (place, followed)
  }

  /// Returns the place of a user's row.
  private mutating func place(
    _ person: Int32, entry: Int32, payment: Int32, _ app: NameID, at start: Int64
  ) -> Int? {
    // Most users have an entry and no payment.
    let isPlain = payment == 0 && entry > 0
    while isPlain, numberOfEntry.count <= Int(entry) { numberOfEntry.append(-1) }
    var number = isPlain ? numberOfEntry[Int(entry)] : -1
    if number < 0 {
      number = Int32(origins.intern(Origin(entry: entry, payment: payment, app: app)))
      if isPlain { numberOfEntry[Int(entry)] = number }
    }
    let hasDimensions = !first.clients.isEmpty
    let unit = UnitKey(
      cellKey: number, client: hasDimensions ? first.clients[Int(person)] : 0,
      properties: hasDimensions ? first.properties[Int(person)] : 0)
    let (origins, scan) = (origins, scan)
    return userRows.place(of: unit, at: start) { number in
      let origin = origins.rows[Int(number)]
      var cellKey =
        origin.payment == 0 ? CellKey(app: origin.app, context: .unattributed) : scan.cellKey(origin.payment)
      cellKey.context = origin.entry == 0 ? .unattributed : scan.cellKey(origin.entry).context
      return cellKey
    }
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
      received[place, currency].add(amount)
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
