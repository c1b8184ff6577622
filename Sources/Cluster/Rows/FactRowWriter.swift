internal import EventModel
internal import Lifecycle

/// Writes a person's facts as rows: see ``WorkerProtocol/columns(of:)``.
struct FactRowWriter {
  private let person: (app: [UInt8], name: [UInt8])
  private let subscriptionIDs: [[UInt8]]
  private let output: PackOutput

  init(_ person: (app: [UInt8], name: [UInt8]), _ subscriptionIDs: [[UInt8]], _ output: PackOutput) {
    self.person = person
    self.subscriptionIDs = subscriptionIDs
    self.output = output
  }

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
      output.append(name: fact.experiment, dictionaries)
      output.append(name: fact.variant, dictionaries)
      output.append(client: fact.client, dictionaries)
      append(fact.outcome, dictionaries)
      try output.endRow()
    }
    for (number, fact) in facts.trials.enumerated() {
      for (credit, context) in facts.contexts[fact.contexts].enumerated() {
        begin(.trial, number, credit, at: fact.start)
        output.append(fact.start)
        output.append(fact.end)
        output.append(fact.deadline)
        output.append(fact.convertedAt)
        output.append(fact.isCancelled)
        output.append(context, dictionaries)
        append(fact.dimensions, dictionaries)
        try output.endRow()
      }
    }
    for (number, fact) in facts.conversions.enumerated() {
      for (credit, context) in facts.contexts[fact.contexts].enumerated() {
        begin(.conversion, number, credit, at: fact.ts)
        output.append(fact.ts)
        output.append(fact.trialStart)
        output.append(FactText.text(fact.trialKind))
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
      output.append(fact.spell)
      output.append(fact.ts)
      output.append(fact.kind.name)
      output.append(name: fact.product, dictionaries)
      output.append(fact.plan.name)
      output.append(fact.price)
      output.append(name: fact.currency, dictionaries)
      output.append(dictionaries.text(ofTerms: fact.terms))
      output.append(fact.coverEnd)
      output.append(fact.paidUntil)
      output.append(fact.refunded)
      output.append(fact.refundedAt)
      try output.endRow()
    }
    for (number, fact) in facts.refunds.enumerated() {
      begin(.refund, number, at: fact.ts)
      output.append(fact.payment)
      output.append(fact.spell)
      output.append(fact.ts)
      output.append(fact.amount)
      output.append(name: fact.currency, dictionaries)
      try output.endRow()
    }
  }

  private func begin(_ tag: WorkerProtocol.Tag, _ number: Int, _ credit: Int = 0, at instant: Int64) {
    person.app.withUnsafeBytes { app in
      person.name.withUnsafeBytes { output.begin(tag, app: app, user: $0, instant: instant) }
      output.append(app)
    }
    output.append(person.name)
    output.append(number)
    output.append(credit)
  }

  private func append(_ dimensions: UnitDimensions, _ dictionaries: borrowing PartitionDictionaries) {
    output.append(client: dimensions.client, dictionaries)
    if dimensions.properties == 0 {
      output.appendNull()
    } else {
      dictionaries.properties.withBytes(UInt32(dimensions.properties)) { output.append($0) }
    }
    output.append(dimensions.plan?.name)
    output.append(dimensions.isFamilyTier)
    output.append(FactText.text(dimensions.trialKind))
    output.append(dimensions.offer, dictionaries)
  }

  private func append(_ outcome: ExposureOutcome, _ dictionaries: borrowing PartitionDictionaries) {
    output.append(outcome.hasTrial)
    output.append(outcome.isTrialCancelled)
    output.append(outcome.hasPaid)
    output.append(outcome.isRefunded)
    output.append(outcome.isRetained)
    output.append(outcome.wasActiveBefore)
    output.append(outcome.hasUsage)
    output.append(outcome.isUsedOnFirstDay)
    output.append(outcome.trial?.start)
    output.append(outcome.trial?.end)
    output.append(outcome.trial?.deadline)
    output.append(outcome.trial?.convertedAt)
    // A revenue without a currency has no name to write.
    let names = dictionaries.names
    output.append(FactText.text(outcome.revenues) { $0 == 0 ? "" : names[UInt32($0)] })
  }

  private func append(_ fact: SpellFact, _ dictionaries: borrowing PartitionDictionaries) {
    output.append(fact.ordinal)
    output.append(fact.start)
    output.append(fact.end)
    output.append(fact.graceEnd)
    output.append(FactText.text(fact.reason))
    output.append(fact.isPurchase)
    output.append(fact.price)
    output.append(name: fact.currency, dictionaries)
    output.append(fact.hasOfferType)
    output.append(fact.paymentCount)
    output.append(fact.lastPaymentAt)
    output.append(fact.isOffAt35)
    output.append(fact.isOffAt95)
    output.append(fact.isOffAt370)
    output.append(fact.isOff)
    output.append(fact.firstCancelledAt)
    output.append(fact.firstRefundedAt)
    if fact.subscription == 0 {
      output.appendNull()
    } else {
      output.append(subscriptionIDs[Int(fact.subscription) - 1])
    }
  }
}
