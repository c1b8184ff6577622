internal import GRDB
internal import Lifecycle

/// Writes what the fold makes of persons to the fact tables, of the store or of memory.
final class FactWriter {
  private let deletes: [SQLiteStatement]
  private let origins: OriginTable
  private let entry: SQLiteStatement
  private let exposure: SQLiteStatement
  private let trial: SQLiteStatement
  private let conversion: SQLiteStatement
  private let spell: SQLiteStatement
  private let payment: SQLiteStatement

  /// - Parameter schema: `main`, or `temp` for facts that last as long as the connection.
  init(_ db: Database, schema: String) throws {
    origins = try OriginTable(db, schema: schema)
    func insert(_ table: FactTable) throws -> SQLiteStatement {
      try SQLiteStatement(db, table.insertSQL(schema: schema))
    }
    entry = try insert(.entry)
    exposure = try insert(.exposure)
    trial = try insert(.trial)
    conversion = try insert(.conversion)
    spell = try insert(.spell)
    payment = try insert(.payment)
    deletes = try FactTable.allCases.map {
      try SQLiteStatement(db, "DELETE FROM \(schema).\($0.rowTable) WHERE person BETWEEN ? AND ?")
    }
  }

  /// Deletes the facts of persons.
  ///
  /// - Parameter persons: In order.
  func delete(persons: some Collection<Int32>) throws {
    var ranges: [ClosedRange<Int32>] = []
    for person in persons {
      if let last = ranges.last, last.upperBound == person - 1 {
        ranges[ranges.count - 1] = last.lowerBound...person
      } else {
        ranges.append(person...person)
      }
    }
    for statement in deletes {
      for range in ranges {
        statement.bind(1, range.lowerBound)
        statement.bind(2, range.upperBound)
        try statement.run()
      }
    }
  }

  func insert(_ persons: [FoldedPerson]) throws {
    for person in persons {
      let ids = person.subscriptionIDs
      try insert(person.facts, person: person.person, app: person.app) { $0 == 0 ? nil : ids[Int($0) - 1] }
    }
  }

  /// - Parameter subscriptionID: The code of a ``SpellFact/subscription``.
  private func insert(
    _ facts: PersonFacts, person id: Int32, app: Int32,
    subscriptionID: (Int32) -> CodedID?
  ) throws {
    if let fact = facts.entry {
      entry.bind(1, id)
      entry.bind(2, fact.ts)
      try bind(entry, 3, app, fact.context, fact.dimensions)
      try entry.run()
    }
    for fact in facts.exposures {
      let arm = Context(experiment: fact.experiment, variant: fact.variant, paywall: 0, entryPoint: 0)
      exposure.bind(1, id)
      exposure.bind(2, try origins.number(of: Origin(app: app, context: arm)))
      exposure.bind(3, fact.ts)
      exposure.bind(4, fact.client)
      try exposure.run()
    }
    for (number, fact) in facts.trials.enumerated() {
      for (credit, context) in facts.contexts[fact.contexts].enumerated() {
        bindKey(trial, id, number, credit)
        trial.bind(4, fact.start)
        trial.bind(5, fact.end - fact.start)
        trial.bind(6, fact.deadline - fact.end)
        trial.bind(7, fact.convertedAt.map { $0 - fact.start })
        trial.bind(8, Int64(fact.isCancelled ? 1 : 0))
        trial.bind(9, fact.product)
        try bind(trial, 10, app, context, fact.dimensions)
        try trial.run()
      }
    }
    for (number, fact) in facts.conversions.enumerated() {
      for (credit, context) in facts.contexts[fact.contexts].enumerated() {
        bindKey(conversion, id, number, credit)
        conversion.bind(4, fact.ts)
        conversion.bind(5, fact.trialStart)
        conversion.bind(6, Int64(fact.trialKind.rawValue))
        conversion.bind(7, try origins.number(of: Origin(app: app, context: context)))
        try conversion.run()
      }
    }
    try insertSpells(facts, person: id, app: app, subscriptionID: subscriptionID)
  }

  private func insertSpells(
    _ facts: PersonFacts, person id: Int32, app: Int32, subscriptionID: (Int32) -> CodedID?
  ) throws {
    for (number, fact) in facts.spells.enumerated() {
      for (credit, context) in facts.contexts[fact.contexts].enumerated() {
        bindKey(spell, id, number, credit)
        spell.bind(4, Int64(fact.ordinal))
        spell.bind(5, fact.start)
        spell.bind(6, fact.end)
        spell.bind(7, fact.graceEnd)
        spell.bind(8, Int64(fact.reason.rawValue))
        spell.bind(9, Int64(fact.isPurchase ? 1 : 0))
        spell.bind(10, fact.product)
        spell.bind(11, fact.price)
        spell.bind(12, fact.currency)
        spell.bind(13, Int64(fact.hasOfferType ? 1 : 0))
        spell.bind(14, Int64(fact.paymentCount))
        spell.bind(15, fact.lastPaymentAt)
        spell.bind(16, Int64((fact.isOffAt35 ? 1 : 0) | (fact.isOffAt95 ? 2 : 0) | (fact.isOffAt370 ? 4 : 0)))
        spell.bind(17, fact.firstCancelledAt)
        spell.bind(18, fact.firstRefundedAt)
        spell.bind(19, subscriptionID(fact.subscription))
        try bind(spell, 20, app, context, fact.dimensions)
        try spell.run()
      }
    }
    for (number, fact) in facts.payments.enumerated() {
      payment.bind(1, id)
      payment.bind(2, Int64(number))
      payment.bind(3, app)
      payment.bind(4, Int64(fact.spell))
      payment.bind(5, fact.ts)
      payment.bind(6, Int64(fact.kind.rawValue))
      payment.bind(7, fact.product)
      payment.bind(8, Int64(fact.plan.rawValue))
      payment.bind(9, fact.price)
      payment.bind(10, fact.currency)
      payment.bind(11, fact.terms)
      payment.bind(12, fact.coverEnd)
      payment.bind(13, fact.refunded)
      payment.bind(14, fact.refundedAt)
      try payment.run()
    }
  }

  private func bindKey(_ statement: SQLiteStatement, _ person: Int32, _ number: Int, _ credit: Int) {
    statement.bind(1, person)
    statement.bind(2, Int64(number))
    statement.bind(3, Int64(credit))
  }

  /// Binds origin, client and properties, the last columns of a unit.
  private func bind(
    _ statement: SQLiteStatement, _ first: Int32, _ app: NameID, _ context: Context, _ dimensions: UnitDimensions
  ) throws {
    statement.bind(first, try origins.number(of: Origin(app: app, context: context, dimensions: dimensions)))
    statement.bind(first + 1, dimensions.client)
    statement.bind(first + 2, dimensions.properties)
  }
}
