internal import EventModel

/// Folds one user's events into facts (definitions 2). Equal events and options give equal facts.
///
/// An instance reuses its buffers for the next user; use it on one thread only.
public struct PersonFold {
  public var options: FoldOptions
  public internal(set) var facts = PersonFacts()
  /// Whether an event that was folded lacks what its kind requires, such as the plan of a payment.
  public internal(set) var isMalformed = false

  /// The user's events that count (definitions 1.5) and exist at the as-of, in event order (1.2).
  var events: [PersonEvent] = []
  /// Indices of the impressions in `events`.
  var impressions: [Int] = []
  var trials: [Trial] = []
  /// By index in `events`: the start of the trial whose auto-renew a `cancellation` or `reactivation` turns (definitions
  /// 2.4).
  public internal(set) var churnedTrials: [Int: Int64] = [:]
  var payments: [Payment] = []
  /// The refunds in time order.
  var refunds: [Refund] = []
  var subscriptions = SubscriptionNumbers()
  /// By index in `events`: the number of the subscription (definitions 2.6) of payments, grants and churn events.
  var subscriptionOf: [Int] = []
  var places = SubscriptionPlaces()
  /// The places of payments that ``eraseRefunded()`` has removed.
  var erased: Set<Int> = []
  /// By index in `payments`, an index in the spells; only where ``tracksSpells``.
  var spellOfPayment: [Int] = []
  var tracksSpells: Bool { options.takesFailedCharges || options.takesCancellations }
  /// Indices in `payments` by index in `events`.
  var paymentsByPlace: [Int: Int] {
    Dictionary(payments.enumerated().map { ($1.place, $0) }) { _, last in last }
  }

  public init(options: FoldOptions) {
    self.options = options
  }

  /// Replaces ``facts`` with the facts of a user.
  ///
  /// - Parameter source: All events of the user's ids, in event order.
  public mutating func fold(_ source: [PersonEvent], dictionaries: borrowing EventDictionaries) {
    foldLifecycle(source, dictionaries)
    recordEntry(dictionaries)
    recordExposures(dictionaries)
    recordOutcomes()
  }

  /// Replaces ``facts`` with the facts of a user except entry and exposures.
  mutating func foldLifecycle(_ source: [PersonEvent], _ dictionaries: borrowing EventDictionaries) {
    facts.removeAll()
    events.removeAll(keepingCapacity: true)
    impressions.removeAll(keepingCapacity: true)
    var hasLifecycle = false
    for event in source where event.ts < options.asOf {
      guard dictionaries.counts(client: event.client, terms: event.terms) else { continue }
      switch event.kind {
      case .paywallImpression: impressions.append(events.count)
      case .trialStart, .conversion, .renewal, .payment, .planChange: hasLifecycle = true
      default: break
      }
      events.append(event)
    }
    churnedTrials = [:]
    guard hasLifecycle else { return }
    resolveSubscriptions(dictionaries)
    collectPayments(dictionaries)
    collectTrials(dictionaries)
    assignConversions()
    markCancelledTrials(dictionaries)
    if options.takesEventTimes { markExpiredTrials(dictionaries) }
    applyRefunds(dictionaries)
    recordTrials(dictionaries)
    recordConversions(dictionaries)
    erased = []
    if options.erasesRefunded { eraseRefunded() }
    endCovers()
    recordSpells(dictionaries)
    if options.takesFailedCharges { recordFailedCharges(dictionaries) }
    if options.takesCancellations { recordCancellations(dictionaries) }
  }

  func dimensions(
    of event: PersonEvent, _ dictionaries: borrowing EventDictionaries, trialKind: TrialKind? = nil,
    offering: NameID? = nil
  ) -> UnitDimensions {
    let terms = dictionaries.terms[Int(event.terms)]
    var offer = terms.offer
    if let offering { offer.offering = offering }
    return UnitDimensions(
      client: event.client, properties: event.properties, plan: terms.plan, isFamilyTier: terms.isFamilyTier,
      trialKind: trialKind ?? terms.trialKind, offer: offer)
  }
}
