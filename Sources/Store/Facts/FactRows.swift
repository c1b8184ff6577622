internal import Lifecycle

/// The rows for the facts of persons, table by table, before they are stored.
struct FactRows: Sendable {
  /// The number of persons that are handed on together.
  static let portion = 2048

  private(set) var personCount = 0
  /// The number of rows of a person's facts at which they are handed on.
  private static let mostRows = 16_384
  private var rowCount = 0
  /// The rows by place in ``FactTable/allCases``.
  var tables = FactTable.allCases.map { _ in RowValues() }
  /// The cell keys that these rows are the first to refer to.
  private(set) var cellKeys: [(number: Int32, cellKey: CellKey)] = []
  private(set) var cells = CellRows()
  /// The payments of the persons.
  private(set) var money = MoneyRows()

  private let putsIntoCells: Bool
  private var units = PersonUnits()
  /// The steps of the person whose facts come in parts.
  private var steps = FunnelSteps()
  /// The encoded outcome of one exposure; reused.
  private var outcome: [UInt8] = []

  init(putsIntoCells: Bool) {
    self.putsIntoCells = putsIntoCells
  }

  mutating func removeAll() {
    personCount = 0
    rowCount = 0
    for index in tables.indices { tables[index].removeAll() }
    cellKeys.removeAll(keepingCapacity: true)
    cells.removeAll()
    money.removeAll()
  }

  /// Removes and returns all rows, but for the money of a person whose facts are still coming.
  mutating func take() -> FactRows {
    var taken = FactRows(putsIntoCells: putsIntoCells)
    swap(&taken.tables, &tables)
    swap(&taken.cellKeys, &cellKeys)
    swap(&taken.cells, &cells)
    if !money.isOpen { swap(&taken.money, &money) }
    (personCount, rowCount) = (0, 0)
    return taken
  }

  /// Adds facts of a person.
  ///
  /// - Parameters:
  ///   - isLast: Whether these are all of the person's facts, or the last part of them.
  ///   - id: Returns the id of a ``SpellFact/subscription``.
  ///   - full: Called when there are so many rows that they should be taken.
  mutating func append(
    _ person: Int32, app: NameID, _ facts: borrowing PersonFacts, _ numbers: CellKeyNumbers, isLast: Bool = true,
    id: (Int32) -> CodedID, full: (inout FactRows) throws -> Void
  ) rethrows {
    if isLast { personCount += 1 }
    var known = numbers.cellKeys.count
    func noteCellKeys(_ rows: inout FactRows) {
      for number in known..<numbers.cellKeys.count {
        rows.cellKeys.append((Int32(number + 1), numbers.cellKeys[number]))
      }
      known = numbers.cellKeys.count
    }
    let hasMany = facts.exposures.count > PersonUnits.mostExposures
    units.set(facts, app: app, numbers, withExposures: putsIntoCells && !hasMany)
    if isLast, let (unit, key) = units.entry {
      append(.entry) { $0.append(person, unit.ts, key.cellKey, key.client, key.properties) }
    }
    for fact in facts.exposures {
      outcome.removeAll(keepingCapacity: true)
      fact.outcome.encode(exposedAt: fact.ts, to: &outcome)
      let bytes = outcome
      append(.exposure) { rows in
        rows.append(person, numbers.number(of: CellKey(app: app, fact)), fact.ts, fact.client)
        bytes.withUnsafeBytes { rows.append(text: $0) }
      }
      if rowCount >= Self.mostRows {
        noteCellKeys(&self)
        try full(&self)
      }
    }
    for (number, fact) in facts.trials.enumerated() {
      for (credit, cellKey) in units.credits[units.trials[number].credits].enumerated() {
        append(.trial) { $0.append(fact, person, number, credit, cellKey) }
      }
      if rowCount >= Self.mostRows {
        noteCellKeys(&self)
        try full(&self)
      }
    }
    for (number, fact) in facts.conversions.enumerated() {
      for (credit, cellKey) in units.credits[units.conversions[number].credits].enumerated() {
        append(.conversion) { $0.append(fact, person, facts.before.conversions + number, credit, cellKey) }
      }
    }
    var purchases = units.purchases.makeIterator()
    for (number, fact) in facts.spells.enumerated() {
      let credits =
        fact.isPurchase
        ? purchases.next()?.credits ?? 0..<0
        : units.credit(facts.contexts[fact.contexts], app, fact.dimensions, numbers)
      let subscription = fact.subscription == 0 ? nil : id(fact.subscription)
      for (credit, cellKey) in units.credits[credits].enumerated() {
        append(.spell) { $0.append(fact, person, facts.before.spells + number, credit, subscription, cellKey) }
      }
    }
    for (number, fact) in facts.payments.enumerated() {
      append(.payment) { $0.append(fact, person, facts.before.payments + number, app: app) }
    }
    for (number, fact) in facts.refunds.enumerated() {
      append(.refund) { $0.append(fact, person, facts.before.refunds + number, app: app) }
    }
    if putsIntoCells {
      units.gather(&steps, isLast: isLast)
      cells.append(units)
      money.append(person, facts, app: app, numbers, isLast: isLast)
      if hasMany {
        try PersonUnits.forEachPart(ofExposures: facts, app: app, numbers) { part in
          cells.append(part)
          noteCellKeys(&self)
          try full(&self)
        }
      }
    }
    noteCellKeys(&self)
    if rowCount >= Self.mostRows { try full(&self) }
  }

  @inline(__always)
  private mutating func append(_ table: FactTable, _ row: (inout RowValues) -> Void) {
    row(&tables[table.rawValue])
    rowCount += 1
  }
}

extension RowValues {
  fileprivate mutating func append(_ fact: TrialFact, _ person: Int32, _ number: Int, _ credit: Int, _ cellKey: Int32) {
    append(
      person, number, credit, fact.start, fact.end - fact.start, fact.deadline - fact.end,
      fact.convertedAt.map { $0 - fact.start },
      fact.isCancelled, fact.product, cellKey, fact.dimensions.client, fact.dimensions.properties)
  }

  fileprivate mutating func append(
    _ fact: ConversionFact, _ person: Int32, _ number: Int, _ credit: Int, _ cellKey: Int32
  ) {
    append(person, number, credit, fact.ts, fact.trialStart, Int64(fact.trialKind.rawValue), cellKey)
  }

  fileprivate mutating func append(
    _ fact: SpellFact, _ person: Int32, _ number: Int, _ credit: Int, _ subscription: CodedID?, _ cellKey: Int32
  ) {
    append(
      person, number, credit, fact.ordinal, fact.start, fact.end, fact.graceEnd, Int64(fact.reason.rawValue),
      fact.isPurchase, fact.product,
      fact.price, fact.currency, fact.hasOfferType, fact.paymentCount, fact.lastPaymentAt,
      (fact.isOffAt35 ? 1 : 0) | (fact.isOffAt95 ? 2 : 0) | (fact.isOffAt370 ? 4 : 0) | (fact.isOff ? 8 : 0),
      fact.firstCancelledAt, fact.firstRefundedAt, subscription, cellKey, fact.dimensions.client,
      fact.dimensions.properties)
  }

  fileprivate mutating func append(_ fact: PaymentFact, _ person: Int32, _ number: Int, app: NameID) {
    append(
      person, number, app, fact.spell, fact.ts, Int64(fact.kind.rawValue), fact.product, Int64(fact.plan.rawValue),
      fact.price, fact.currency, fact.terms, fact.coverEnd, fact.paidUntil, fact.refunded, fact.refundedAt)
  }

  fileprivate mutating func append(_ fact: RefundFact, _ person: Int32, _ number: Int, app: NameID) {
    append(person, number, app, fact.payment, fact.spell, fact.ts, fact.amount, fact.currency)
  }
}
