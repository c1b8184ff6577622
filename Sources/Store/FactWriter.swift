internal import GRDB
internal import Lifecycle

/// Writes what the fold makes of persons to the fact tables, of the store or of memory.
final class FactWriter {
  private let deletes: [SQLiteStatement]
  private let origins: OriginTable
  private let entry: RowInsert
  private let exposure: RowInsert
  private let trial: RowInsert
  private let conversion: RowInsert
  private let spell: RowInsert
  private let payment: RowInsert

  /// - Parameter schema: `main`, or `temp` for facts that last as long as the connection.
  init(_ db: Database, schema: String) throws {
    origins = try OriginTable(db, schema: schema)
    func insert(_ table: FactTable) throws -> RowInsert {
      try RowInsert(db, into: "\(schema).\(table.rowTable)", columns: table.columnCount)
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
      let facts = person.facts
      if let fact = facts.entry {
        entry.append(person.person)
        entry.append(fact.ts)
        try append(to: entry, person.app, fact.context, fact.dimensions)
      }
      for fact in facts.exposures {
        let arm = Context(experiment: fact.experiment, variant: fact.variant, paywall: 0, entryPoint: 0)
        exposure.append(person.person)
        exposure.append(try origins.number(of: Origin(app: person.app, context: arm)))
        exposure.append(fact.ts)
        exposure.append(fact.client)
      }
      for (number, fact) in facts.trials.enumerated() { try append(fact, number, person) }
      for (number, fact) in facts.conversions.enumerated() { try append(fact, number, person) }
      for (number, fact) in facts.spells.enumerated() { try append(fact, number, person) }
      for (number, fact) in facts.payments.enumerated() { append(fact, number, person) }
    }
    for table in [entry, exposure, trial, conversion, spell, payment] { try table.run() }
  }

  private func append(_ fact: TrialFact, _ number: Int, _ person: FoldedPerson) throws {
    for (credit, context) in person.facts.contexts[fact.contexts].enumerated() {
      appendKey(to: trial, person, number, credit)
      trial.append(fact.start)
      trial.append(fact.end - fact.start)
      trial.append(fact.deadline - fact.end)
      trial.append(fact.convertedAt.map { $0 - fact.start })
      trial.append(fact.isCancelled)
      trial.append(fact.product)
      try append(to: trial, person.app, context, fact.dimensions)
    }
  }

  private func append(_ fact: ConversionFact, _ number: Int, _ person: FoldedPerson) throws {
    for (credit, context) in person.facts.contexts[fact.contexts].enumerated() {
      appendKey(to: conversion, person, number, credit)
      conversion.append(fact.ts)
      conversion.append(fact.trialStart)
      conversion.append(Int64(fact.trialKind.rawValue))
      conversion.append(try origins.number(of: Origin(app: person.app, context: context)))
    }
  }

  private func append(_ fact: SpellFact, _ number: Int, _ person: FoldedPerson) throws {
    for (credit, context) in person.facts.contexts[fact.contexts].enumerated() {
      appendKey(to: spell, person, number, credit)
      spell.append(Int64(fact.ordinal))
      spell.append(fact.start)
      spell.append(fact.end)
      spell.append(fact.graceEnd)
      spell.append(Int64(fact.reason.rawValue))
      spell.append(fact.isPurchase)
      spell.append(fact.product)
      spell.append(fact.price)
      spell.append(fact.currency)
      spell.append(fact.hasOfferType)
      spell.append(Int64(fact.paymentCount))
      spell.append(fact.lastPaymentAt)
      spell.append(Int64((fact.isOffAt35 ? 1 : 0) | (fact.isOffAt95 ? 2 : 0) | (fact.isOffAt370 ? 4 : 0)))
      spell.append(fact.firstCancelledAt)
      spell.append(fact.firstRefundedAt)
      spell.append(fact.subscription == 0 ? nil : person.subscriptionIDs[Int(fact.subscription) - 1])
      try append(to: spell, person.app, context, fact.dimensions)
    }
  }

  private func append(_ fact: PaymentFact, _ number: Int, _ person: FoldedPerson) {
    payment.append(person.person)
    payment.append(Int64(number))
    payment.append(person.app)
    payment.append(Int64(fact.spell))
    payment.append(fact.ts)
    payment.append(Int64(fact.kind.rawValue))
    payment.append(fact.product)
    payment.append(Int64(fact.plan.rawValue))
    payment.append(fact.price)
    payment.append(fact.currency)
    payment.append(fact.terms)
    payment.append(fact.coverEnd)
    payment.append(fact.refunded)
    payment.append(fact.refundedAt)
  }

  private func appendKey(to rows: RowInsert, _ person: FoldedPerson, _ number: Int, _ credit: Int) {
    rows.append(person.person)
    rows.append(Int64(number))
    rows.append(Int64(credit))
  }

  /// Appends origin, client and properties, the last columns of a unit.
  private func append(
    to rows: RowInsert, _ app: NameID, _ context: Context, _ dimensions: UnitDimensions
  ) throws {
    rows.append(try origins.number(of: Origin(app: app, context: context, dimensions: dimensions)))
    rows.append(dimensions.client)
    rows.append(dimensions.properties)
  }
}
