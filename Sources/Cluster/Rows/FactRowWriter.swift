internal import EventModel
internal import Lifecycle

/// Writes a person's facts as rows: see ``WorkerProtocol/columns(of:)``.
struct FactRowWriter {
  let person: (app: [UInt8], name: [UInt8])
  let subscriptionIDs: [[UInt8]]
  let output: PackOutput

  mutating func write(_ facts: borrowing PersonFacts, _ dictionaries: inout PartitionDictionaries) throws {
    if let fact = facts.entry {
      begin(.entry, 0, at: fact.ts)
      output.append(fact.ts)
      output.append(fact.context, dictionaries)
      append(fact.dimensions, dictionaries)
      try output.endRow()
    }
    for (number, fact) in facts.exposures.enumerated() {
      begin(.exposure, number, at: fact.ts)
      output.append(fact.ts)
      output.append(names: fact.experiment, fact.variant, from: dictionaries)
      output.append(client: fact.client, dictionaries)
      append(fact.outcome, dictionaries)
      try output.endRow()
    }
    for (number, fact) in facts.trials.enumerated() {
      for (credit, context) in facts.contexts[fact.contexts].enumerated() {
        begin(.trial, number, credit, at: fact.start)
        output.append(fact.start, fact.end, fact.deadline, fact.convertedAt, fact.isCancelled)
        output.append(context, dictionaries)
        append(fact.dimensions, dictionaries)
        try output.endRow()
      }
    }
    for (number, fact) in facts.conversions.enumerated() {
      for (credit, context) in facts.contexts[fact.contexts].enumerated() {
        begin(.conversion, number, credit, at: fact.ts)
        output.append(fact.ts, fact.trialStart, FactText.text(fact.trialKind))
        output.append(context, dictionaries)
        try output.endRow()
      }
    }
    for (number, fact) in facts.spells.enumerated() {
      for (credit, context) in facts.contexts[fact.contexts].enumerated() {
        begin(.spell, number, credit, at: fact.start)
        append(fact, dictionaries)
        output.append(context, dictionaries)
        append(fact.dimensions, dictionaries)
        try output.endRow()
      }
    }
    for (number, fact) in facts.payments.enumerated() {
      begin(.payment, number, at: fact.ts)
      output.append(fact.spell, fact.ts, fact.kind.name)
      output.append(names: fact.product, from: dictionaries)
      output.append(fact.plan.name, fact.price)
      output.append(names: fact.currency, from: dictionaries)
      output.append(
        dictionaries.text(ofTerms: fact.terms), fact.coverEnd, fact.paidUntil, fact.refunded, fact.refundedAt)
      try output.endRow()
    }
    for (number, fact) in facts.refunds.enumerated() {
      begin(.refund, number, at: fact.ts)
      output.append(fact.payment, fact.spell, fact.ts, fact.amount)
      output.append(names: fact.currency, from: dictionaries)
      try output.endRow()
    }
  }

  private func begin(_ tag: WorkerProtocol.Tag, _ number: Int, _ credit: Int = 0, at instant: Int64) {
    person.app.withUnsafeBytes { app in
      person.name.withUnsafeBytes { output.begin(tag, app: app, user: $0, instant: instant) }
      output.append(app)
    }
    output.append(person.name, number, credit)
  }

  private func append(_ dimensions: UnitDimensions, _ dictionaries: borrowing PartitionDictionaries) {
    output.append(client: dimensions.client, dictionaries)
    if dimensions.properties == 0 {
      output.appendNull()
    } else {
      dictionaries.properties.withBytes(UInt32(dimensions.properties)) { output.append($0) }
    }
    output.append(dimensions.plan?.name, dimensions.isFamilyTier, FactText.text(dimensions.trialKind))
    output.append(dimensions.offer, dictionaries)
  }

  private func append(_ outcome: ExposureOutcome, _ dictionaries: borrowing PartitionDictionaries) {
    for has in FactText.outcomeFlags { output.append(outcome.flags.contains(has)) }
    let trial = outcome.trial
    output.append(trial?.start, trial?.end, trial?.deadline, trial?.convertedAt)
    // A revenue without a currency has no name to write.
    let names = dictionaries.names
    output.append(FactText.text(outcome.revenues) { $0 == 0 ? "" : names[UInt32($0)] })
  }

  private func append(_ fact: SpellFact, _ dictionaries: borrowing PartitionDictionaries) {
    output.append(
      fact.ordinal, fact.start, fact.end, fact.graceEnd, FactText.text(fact.reason), fact.isPurchase, fact.price)
    output.append(names: fact.currency, from: dictionaries)
    output.append(
      fact.hasOfferType, fact.paymentCount, fact.lastPaymentAt, fact.isOffAt35, fact.isOffAt95, fact.isOffAt370,
      fact.isOff, fact.firstCancelledAt, fact.firstRefundedAt)
    if fact.subscription == 0 {
      output.appendNull()
    } else {
      output.append(subscriptionIDs[Int(fact.subscription) - 1])
    }
  }
}
