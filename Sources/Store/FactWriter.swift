internal import GRDB
internal import Lifecycle

/// Writes what the fold makes of persons to the fact tables, of the store or of memory.
final class FactWriter {
  private let deletes: [SQLiteStatement]
  private let entry: SQLiteStatement
  private let exposure: SQLiteStatement
  private let trial: SQLiteStatement
  private let conversion: SQLiteStatement
  private let spell: SQLiteStatement
  private let payment: SQLiteStatement

  /// - Parameter schema: `main`, or `temp` for facts that last as long as the connection.
  init(_ db: Database, schema: String) throws {
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
      try SQLiteStatement(db, "DELETE FROM \(schema).\($0.rawValue)_fact WHERE person BETWEEN ? AND ?")
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
      entry.bind(2, app)
      entry.bind(3, fact.ts)
      bind(entry, 4, fact.context)
      bind(entry, 8, fact.dimensions)
      try entry.run()
    }
    for fact in facts.exposures {
      exposure.bind(1, id)
      exposure.bind(2, fact.experiment)
      exposure.bind(3, fact.variant)
      exposure.bind(4, app)
      exposure.bind(5, fact.ts)
      exposure.bind(6, fact.client)
      try exposure.run()
    }
    for (number, fact) in facts.trials.enumerated() {
      for (credit, context) in facts.contexts[fact.contexts].enumerated() {
        bindKey(trial, id, number, credit, app)
        trial.bind(5, fact.start)
        trial.bind(6, fact.end)
        trial.bind(7, fact.deadline)
        trial.bind(8, fact.convertedAt)
        trial.bind(9, Int64(fact.isCancelled ? 1 : 0))
        trial.bind(10, fact.product)
        bind(trial, 11, context)
        bind(trial, 15, fact.dimensions)
        try trial.run()
      }
    }
    for (number, fact) in facts.conversions.enumerated() {
      for (credit, context) in facts.contexts[fact.contexts].enumerated() {
        bindKey(conversion, id, number, credit, app)
        conversion.bind(5, fact.ts)
        conversion.bind(6, fact.trialStart)
        conversion.bind(7, Int64(fact.trialKind.rawValue))
        bind(conversion, 8, context)
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
        bindKey(spell, id, number, credit, app)
        spell.bind(5, Int64(fact.ordinal))
        spell.bind(6, fact.start)
        spell.bind(7, fact.end)
        spell.bind(8, fact.graceEnd)
        spell.bind(9, Int64(fact.reason.rawValue))
        spell.bind(10, Int64(fact.isPurchase ? 1 : 0))
        spell.bind(11, fact.product)
        spell.bind(12, fact.price)
        spell.bind(13, fact.currency)
        spell.bind(14, Int64(fact.hasOfferType ? 1 : 0))
        spell.bind(15, Int64(fact.paymentCount))
        spell.bind(16, fact.lastPaymentAt)
        spell.bind(17, Int64(fact.isOffAt35 ? 1 : 0))
        spell.bind(18, Int64(fact.isOffAt95 ? 1 : 0))
        spell.bind(19, Int64(fact.isOffAt370 ? 1 : 0))
        spell.bind(20, fact.firstCancelledAt)
        spell.bind(21, fact.firstRefundedAt)
        spell.bind(22, subscriptionID(fact.subscription))
        bind(spell, 23, context)
        bind(spell, 27, fact.dimensions)
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

  private func bindKey(_ statement: SQLiteStatement, _ person: Int32, _ number: Int, _ credit: Int, _ app: Int32) {
    statement.bind(1, person)
    statement.bind(2, Int64(number))
    statement.bind(3, Int64(credit))
    statement.bind(4, app)
  }

  private func bind(_ statement: SQLiteStatement, _ first: Int32, _ context: Context) {
    statement.bind(first, context.experiment)
    statement.bind(first + 1, context.variant)
    statement.bind(first + 2, context.paywall)
    statement.bind(first + 3, context.entryPoint)
  }

  private func bind(_ statement: SQLiteStatement, _ first: Int32, _ dimensions: UnitDimensions) {
    statement.bind(first, dimensions.client)
    statement.bind(first + 1, dimensions.plan.map { Int64($0.rawValue) })
    statement.bind(first + 2, Int64(dimensions.isFamilyTier ? 1 : 0))
    statement.bind(first + 3, Int64(dimensions.trialKind.rawValue))
    statement.bind(first + 4, dimensions.properties)
  }
}
