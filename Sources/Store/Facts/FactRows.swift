internal import GRDB
internal import Lifecycle

/// The rows for the facts of persons, table by table, before they are stored.
struct FactRows: Sendable {
  /// The number of persons that are handed on together.
  static let portion = 2048

  private(set) var personCount = 0
  /// The rows by place in ``FactTable/allCases``.
  var tables = FactTable.allCases.map { _ in RowValues() }
  /// The segments that these rows are the first to refer to.
  private(set) var segments: [(number: Int32, segment: Segment)] = []
  /// The cell rows that the facts add.
  private(set) var cells = CellRows()
  /// The payments of the persons.
  private(set) var money = MoneyRows()

  private let putsIntoCells: Bool
  private var units = PersonUnits()
  private var personMoney = PersonMoney()
  /// The encoded outcome of one exposure; reused.
  private var outcome: [UInt8] = []

  /// - Parameter putsIntoCells: Whether the facts are added to cells.
  init(putsIntoCells: Bool) {
    self.putsIntoCells = putsIntoCells
  }

  mutating func removeAll() {
    personCount = 0
    for index in tables.indices { tables[index].removeAll() }
    segments.removeAll(keepingCapacity: true)
    cells.removeAll()
    money.removeAll()
  }

  /// Adds the facts of a person.
  ///
  /// - Parameter subscriptionIDs: The ids in the order of ``SpellFact/subscription``, from 1.
  mutating func append(
    _ person: Int32, app: NameID, _ facts: borrowing PersonFacts, subscriptionIDs: [CodedID], _ numbers: SegmentNumbers
  ) {
    personCount += 1
    let known = numbers.segments.count
    if let fact = facts.entry {
      append(.entry) { rows in
        rows.append(person)
        rows.append(fact.ts)
        rows.append(numbers.number(of: Segment(app: app, context: fact.context, fact.dimensions)))
        rows.append(fact.dimensions.client)
        rows.append(fact.dimensions.properties)
      }
    }
    for fact in facts.exposures {
      outcome.removeAll(keepingCapacity: true)
      fact.outcome.encode(exposedAt: fact.ts, to: &outcome)
      let bytes = outcome
      append(.exposure) { rows in
        rows.append(person)
        rows.append(numbers.number(of: Segment(app: app, fact)))
        rows.append(fact.ts)
        rows.append(fact.client)
        bytes.withUnsafeBytes { rows.append(text: $0) }
      }
    }
    for (number, fact) in facts.trials.enumerated() {
      for (credit, context) in facts.contexts[fact.contexts].enumerated() {
        let segment = numbers.number(of: Segment(app: app, context: context, fact.dimensions))
        append(.trial) { $0.append(fact, person, number, credit, segment) }
      }
    }
    for (number, fact) in facts.conversions.enumerated() {
      for (credit, context) in facts.contexts[fact.contexts].enumerated() {
        let segment = numbers.number(of: Segment(app: app, context: context))
        append(.conversion) { $0.append(fact, person, number, credit, segment) }
      }
    }
    for (number, fact) in facts.spells.enumerated() {
      let subscription = fact.subscription == 0 ? nil : subscriptionIDs[Int(fact.subscription) - 1]
      for (credit, context) in facts.contexts[fact.contexts].enumerated() {
        let segment = numbers.number(of: Segment(app: app, context: context, fact.dimensions))
        append(.spell) { $0.append(fact, person, number, credit, subscription, segment) }
      }
    }
    for (number, fact) in facts.payments.enumerated() {
      append(.payment) { $0.append(fact, person, number, app: app) }
    }
    for (number, fact) in facts.refunds.enumerated() {
      append(.refund) { $0.append(fact, person, number, app: app) }
    }
    if putsIntoCells {
      units.set(facts, app: app, numbers)
      cells.append(units)
      personMoney.set(person, facts, app: app, numbers)
      money.append(personMoney)
    }
    for number in known..<numbers.segments.count { segments.append((Int32(number + 1), numbers.segments[number])) }
  }

  @inline(__always)
  private mutating func append(_ table: FactTable, _ row: (inout RowValues) -> Void) { row(&tables[table.place]) }
}

extension RowValues {
  private mutating func appendKey(_ person: Int32, _ number: Int, _ credit: Int) {
    append(person)
    append(Int64(number))
    append(Int64(credit))
  }

  fileprivate mutating func append(_ fact: TrialFact, _ person: Int32, _ number: Int, _ credit: Int, _ segment: Int32) {
    appendKey(person, number, credit)
    append(fact.start)
    append(fact.end - fact.start)
    append(fact.deadline - fact.end)
    append(fact.convertedAt.map { $0 - fact.start })
    append(fact.isCancelled)
    append(fact.product)
    append(segment)
    append(fact.dimensions.client)
    append(fact.dimensions.properties)
  }

  fileprivate mutating func append(
    _ fact: ConversionFact, _ person: Int32, _ number: Int, _ credit: Int, _ segment: Int32
  ) {
    appendKey(person, number, credit)
    append(fact.ts)
    append(fact.trialStart)
    append(Int64(fact.trialKind.rawValue))
    append(segment)
  }

  fileprivate mutating func append(
    _ fact: SpellFact, _ person: Int32, _ number: Int, _ credit: Int, _ subscription: CodedID?, _ segment: Int32
  ) {
    appendKey(person, number, credit)
    append(Int64(fact.ordinal))
    append(fact.start)
    append(fact.end)
    append(fact.graceEnd)
    append(Int64(fact.reason.rawValue))
    append(fact.isPurchase)
    append(fact.product)
    append(fact.price)
    append(fact.currency)
    append(fact.hasOfferType)
    append(Int64(fact.paymentCount))
    append(fact.lastPaymentAt)
    append(
      Int64(
        (fact.isOffAt35 ? 1 : 0) | (fact.isOffAt95 ? 2 : 0) | (fact.isOffAt370 ? 4 : 0) | (fact.isOff ? 8 : 0)))
    append(fact.firstCancelledAt)
    append(fact.firstRefundedAt)
    append(subscription)
    append(segment)
    append(fact.dimensions.client)
    append(fact.dimensions.properties)
  }

  fileprivate mutating func append(_ fact: PaymentFact, _ person: Int32, _ number: Int, app: NameID) {
    append(person)
    append(Int64(number))
    append(app)
    append(Int64(fact.spell))
    append(fact.ts)
    append(Int64(fact.kind.rawValue))
    append(fact.product)
    append(Int64(fact.plan.rawValue))
    append(fact.price)
    append(fact.currency)
    append(fact.terms)
    append(fact.coverEnd)
    append(fact.paidUntil)
    append(fact.refunded)
    append(fact.refundedAt)
  }
  fileprivate mutating func append(_ fact: RefundFact, _ person: Int32, _ number: Int, app: NameID) {
    append(person)
    append(Int64(number))
    append(app)
    append(Int64(fact.payment))
    append(Int64(fact.spell))
    append(fact.ts)
    append(fact.amount)
    append(fact.currency)
  }
}
