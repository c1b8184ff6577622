public import EventModel

// Facts that were folded elsewhere are built again from their rows.

extension UnitDimensions {
  public init(client: Int32, properties: Int32, plan: Plan?, isFamilyTier: Bool, trialKind: TrialKind) {
    self.client = client
    self.properties = properties
    self.plan = plan
    self.isFamilyTier = isFamilyTier
    self.trialKind = trialKind
  }
}

extension EntryFact {
  public init(ts: Int64, context: Context, dimensions: UnitDimensions) {
    self.ts = ts
    self.context = context
    self.dimensions = dimensions
  }
}

extension ExposureFact {
  public init(experiment: NameID, variant: NameID, ts: Int64, client: Int32, outcome: ExposureOutcome) {
    self.experiment = experiment
    self.variant = variant
    self.ts = ts
    self.client = client
    self.outcome = outcome
  }
}

extension TrialFact {
  public init(
    start: Int64, end: Int64, deadline: Int64, convertedAt: Int64?, isCancelled: Bool, product: NameID,
    subscription: Int32, contexts: Range<Int>, dimensions: UnitDimensions
  ) {
    self.start = start
    self.end = end
    self.deadline = deadline
    self.convertedAt = convertedAt
    self.isCancelled = isCancelled
    self.product = product
    self.subscription = subscription
    self.contexts = contexts
    self.dimensions = dimensions
  }
}

extension ConversionFact {
  public init(ts: Int64, trialStart: Int64?, trialKind: TrialKind, contexts: Range<Int>) {
    self.ts = ts
    self.trialStart = trialStart
    self.trialKind = trialKind
    self.contexts = contexts
  }
}

extension PaymentFact {
  public init(
    ts: Int64, spell: Int, kind: EventKind, product: NameID, plan: Plan, price: Int64, currency: NameID, terms: Int32,
    coverEnd: Int64, refunded: Int64, refundedAt: Int64?
  ) {
    self.ts = ts
    self.spell = spell
    self.kind = kind
    self.product = product
    self.plan = plan
    self.price = price
    self.currency = currency
    self.terms = terms
    self.coverEnd = coverEnd
    self.refunded = refunded
    self.refundedAt = refundedAt
  }
}

extension RefundFact {
  public init(ts: Int64, payment: Int, spell: Int, amount: Int64, currency: NameID) {
    self.ts = ts
    self.payment = payment
    self.spell = spell
    self.amount = amount
    self.currency = currency
  }
}

extension SpellFact {
  public init(
    subscription: Int32, product: NameID, ordinal: Int, start: Int64, end: Int64, graceEnd: Int64, reason: ChurnReason,
    isPurchase: Bool, price: Int64, currency: NameID, hasOfferType: Bool, paymentCount: Int, lastPaymentAt: Int64,
    isOffAt35: Bool, isOffAt95: Bool, isOffAt370: Bool, isOff: Bool, firstCancelledAt: Int64?, firstRefundedAt: Int64?,
    contexts: Range<Int>, dimensions: UnitDimensions
  ) {
    self.subscription = subscription
    self.product = product
    self.ordinal = ordinal
    self.start = start
    self.end = end
    self.graceEnd = graceEnd
    self.reason = reason
    self.isPurchase = isPurchase
    self.price = price
    self.currency = currency
    self.hasOfferType = hasOfferType
    self.paymentCount = paymentCount
    self.lastPaymentAt = lastPaymentAt
    self.isOffAt35 = isOffAt35
    self.isOffAt95 = isOffAt95
    self.isOffAt370 = isOffAt370
    self.isOff = isOff
    self.firstCancelledAt = firstCancelledAt
    self.firstRefundedAt = firstRefundedAt
    self.contexts = contexts
    self.dimensions = dimensions
  }
}
