public import EventModel

/// The dimensions of a unit besides its context, taken from its own event; implements definitions 2.11.
public struct UnitDimensions: Equatable, Sendable {
  public var client: Int32
  public var properties: Int32
  public var plan: Plan?
  public var isFamilyTier: Bool
  public var trialKind: TrialKind
  public var offer: Offer

  public init(
    client: Int32, properties: Int32, plan: Plan?, isFamilyTier: Bool, trialKind: TrialKind, offer: Offer = Offer()
  ) {
    self.client = client
    self.properties = properties
    self.plan = plan
    self.isFamilyTier = isFamilyTier
    self.trialKind = trialKind
    self.offer = offer
  }
}

/// The product of a unit's own event and how it was offered (definitions 2.11); 0 for what is absent.
public struct Offer: Hashable, Sendable {
  public var product: NameID = 0
  /// The vendor's id of the set of products that a paywall shows.
  public var offering: NameID = 0
  /// The kind of discount, such as `introductory` or `win_back`.
  public var type: NameID = 0
  public var code: NameID = 0

  public init() {}

  public init(product: NameID, offering: NameID, type: NameID, code: NameID) {
    self.product = product
    self.offering = offering
    self.type = type
    self.code = code
  }
}

/// A user's first impression: the entry to the funnel (definitions 3.1).
public struct EntryFact: Equatable, Sendable {
  public var ts: Int64
  public var context: Context
  public var dimensions: UnitDimensions

  public init(ts: Int64, context: Context, dimensions: UnitDimensions) {
    self.ts = ts
    self.context = context
    self.dimensions = dimensions
  }
}

/// A user's first exposure to a variant of an experiment.
public struct ExposureFact: Equatable, Sendable {
  public var experiment: NameID
  public var variant: NameID
  /// The time of the first `exposure` or `paywall_impression` with this experiment and variant.
  public var ts: Int64
  public var client: Int32
  public var outcome = ExposureOutcome()

  public init(
    experiment: NameID, variant: NameID, ts: Int64, client: Int32, outcome: ExposureOutcome = ExposureOutcome()
  ) {
    self.experiment = experiment
    self.variant = variant
    self.ts = ts
    self.client = client
    self.outcome = outcome
  }
}

/// A trial (definitions 2.2–2.5).
public struct TrialFact: Equatable, Sendable {
  public var start: Int64
  public var end: Int64
  /// The trial's end plus grace.
  public var deadline: Int64
  /// The time of the trial's conversion; `nil` if there is none.
  @CompactNumber public var convertedAt: Int64?
  /// Whether auto-renew was off when an introductory trial ended or converted (definitions 2.4).
  public var isCancelled: Bool
  public var subscription: Int32
  /// A range in ``PersonFacts/contexts``: one context, or at least one with attribution `all`.
  public var contexts: Range<Int>
  public var dimensions: UnitDimensions
  /// The first expiration of an introductory trial before its deadline and its conversion; only with
  /// ``FoldOptions/takesEventTimes``.
  @CompactNumber public var expiredAt: Int64?
  /// The later `trial_start` events that repeat it (definitions 2.2); only with ``FoldOptions/takesEventTimes``.
  public var repeats: [Int64] = []

  /// The product of the trial's start.
  public var product: NameID { dimensions.offer.product }

  public init(
    start: Int64, end: Int64, deadline: Int64, convertedAt: Int64?, isCancelled: Bool, subscription: Int32,
    contexts: Range<Int>, dimensions: UnitDimensions
  ) {
    self.start = start
    self.end = end
    self.deadline = deadline
    self.convertedAt = convertedAt
    self.isCancelled = isCancelled
    self.subscription = subscription
    self.contexts = contexts
    self.dimensions = dimensions
  }
}

/// A first payment made by a `conversion`, with the trial that it belongs to (definitions 2.3).
public struct ConversionFact: Equatable, Sendable {
  public var ts: Int64
  /// The start of the trial; `nil` for a direct purchase.
  public var trialStart: Int64?
  public var trialKind: TrialKind
  public var contexts: Range<Int>

  public init(ts: Int64, trialStart: Int64?, trialKind: TrialKind, contexts: Range<Int>) {
    self.ts = ts
    self.trialStart = trialStart
    self.trialKind = trialKind
    self.contexts = contexts
  }
}

/// One charge of a subscription (definitions 2.6), with the cover that ``PersonFold/endCovers(_:)`` leaves it.
public struct PaymentFact: Equatable, Sendable {
  public var ts: Int64
  /// The index of its spell in ``PersonFacts/spells``.
  public var spell: Int
  public var kind: EventKind
  public var product: NameID
  public var plan: Plan
  public var price: Int64
  public var currency: NameID
  public var terms: Int32
  /// The end of the cover, shortened by refunds, expirations and payments for other products; the greatest value for a
  /// lifetime plan.
  public var coverEnd: Int64
  /// The end of the period paid for, even if the cover ended earlier; the greatest value for a lifetime plan.
  public var paidUntil: Int64
  /// The refunded amount in the payment's own currency, in micro-units.
  public var refunded: Int64
  /// The time when the payment was refunded in full; `nil` if never.
  public var refundedAt: Int64?
  /// The first expiration after the payment, and not after the subscription's next one; only with
  /// ``FoldOptions/takesEventTimes``.
  public var expiredAt: Int64?

  public init(
    ts: Int64, spell: Int, kind: EventKind, product: NameID, plan: Plan, price: Int64, currency: NameID, terms: Int32,
    coverEnd: Int64, paidUntil: Int64, refunded: Int64, refundedAt: Int64?
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
    self.paidUntil = paidUntil
    self.refunded = refunded
    self.refundedAt = refundedAt
  }
}

/// A refund that ``PersonFold/applyRefunds(_:)`` finds for a payment, counted on its own day (definitions 7.1).
public struct RefundFact: Equatable, Sendable {
  public var ts: Int64
  /// The index of the payment in ``PersonFacts/payments``.
  public var payment: Int
  /// The index of the payment's spell in ``PersonFacts/spells``.
  public var spell: Int
  /// The amount in micro-units; a refund without a price refunds the rest of the payment.
  public var amount: Int64
  /// The refund's currency; the payment's currency if the refund has none.
  public var currency: NameID

  public init(ts: Int64, payment: Int, spell: Int, amount: Int64, currency: NameID) {
    self.ts = ts
    self.payment = payment
    self.spell = spell
    self.amount = amount
    self.currency = currency
  }
}

/// A run of payments without a gap (definitions 2.8).
public struct SpellFact: Equatable, Sendable {
  /// The subscription's number within the user: ``PersonEvent/subscription``, or 0 if the product identifies it.
  public var subscription: Int32
  /// The number of the spell within the subscription, from 1.
  public var ordinal: Int
  public var start: Int64
  /// The end of the cover; the greatest value for a lifetime plan.
  public var end: Int64
  /// The end plus grace; the spell has churned once the as-of reaches it.
  public var graceEnd: Int64
  public var reason: ChurnReason
  /// Whether this is a first spell that starts with a `conversion` (definitions 2.9).
  public var isPurchase: Bool
  /// The price of the first payment.
  public var price: Int64
  public var currency: NameID
  public var hasOfferType: Bool
  public var paymentCount: Int
  public var lastPaymentAt: Int64
  /// Whether auto-renew was off at each age of definitions 6.2, in days.
  public var isOffAt35: Bool
  public var isOffAt95: Bool
  public var isOffAt370: Bool
  /// Whether auto-renew is off at the as-of, or just before ``FoldOptions/renewalAt``: the last cancellation, reactivation or payment is a cancellation.
  public var isOff: Bool
  /// The time of the first `cancellation` before the end; `nil` if there is none.
  public var firstCancelledAt: Int64?
  /// The time when the first payment was refunded in full; `nil` if never.
  public var firstRefundedAt: Int64?
  public var contexts: Range<Int>
  public var dimensions: UnitDimensions

  /// The product of the first payment.
  public var product: NameID { dimensions.offer.product }

  public init(
    subscription: Int32, ordinal: Int, start: Int64, end: Int64, graceEnd: Int64, reason: ChurnReason,
    isPurchase: Bool, price: Int64, currency: NameID, hasOfferType: Bool, paymentCount: Int, lastPaymentAt: Int64,
    isOffAt35: Bool, isOffAt95: Bool, isOffAt370: Bool, isOff: Bool, firstCancelledAt: Int64?, firstRefundedAt: Int64?,
    contexts: Range<Int>, dimensions: UnitDimensions
  ) {
    self.subscription = subscription
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

/// All facts derived from a user's events.
public struct PersonFacts: Equatable, Sendable {
  public var entry: EntryFact?
  /// The exposures in time order.
  public var exposures: [ExposureFact] = []
  /// The trials in the order of their starts.
  public var trials: [TrialFact] = []
  /// The conversions in time order.
  public var conversions: [ConversionFact] = []
  /// The spells by subscription, in the order of its first payment, then in time order.
  public var spells: [SpellFact] = []
  /// The payments in the order of their spells, then in time order.
  public var payments: [PaymentFact] = []
  /// The refunds in the order of their payments, then in time order.
  public var refunds: [RefundFact] = []
  /// The failed charges in time order; only with ``FoldOptions/takesFailedCharges``.
  public var failedCharges: [FailedChargeFact] = []
  /// The cancellations in time order; only with ``FoldOptions/takesCancellations``.
  public var cancellations: [CancellationFact] = []
  /// The contexts that trials, conversions and spells are credited to.
  public var contexts: [Context] = []
  /// The numbers of facts in earlier parts; none unless ``PersonFold`` hands them on in parts.
  public internal(set) var before = Counts()

  /// The numbers of the facts that come in parts.
  public struct Counts: Equatable, Sendable {
    public internal(set) var conversions = 0
    public internal(set) var spells = 0
    public internal(set) var payments = 0
    public internal(set) var refunds = 0
  }

  public init() {}

  public var isEmpty: Bool {
    entry == nil && exposures.isEmpty && trials.isEmpty && conversions.isEmpty && spells.isEmpty && payments.isEmpty
      && refunds.isEmpty && failedCharges.isEmpty && cancellations.isEmpty && before == Counts()
  }

  mutating func removeAll() {
    before = Counts()
    entry = nil
    exposures.removeAll(keepingCapacity: true)
    trials.removeAll(keepingCapacity: true)
    conversions.removeAll(keepingCapacity: true)
    spells.removeAll(keepingCapacity: true)
    payments.removeAll(keepingCapacity: true)
    refunds.removeAll(keepingCapacity: true)
    failedCharges.removeAll(keepingCapacity: true)
    cancellations.removeAll(keepingCapacity: true)
    contexts.removeAll(keepingCapacity: true)
  }
}
