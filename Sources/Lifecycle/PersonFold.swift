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
  public var churnedTrials: [Int: Int64] {
    Dictionary(churnedStarts.lazy.map { ($0.place, $0.start) }) { _, last in last }
  }
  var churnedStarts: [(place: Int, start: Int64)] = []
  /// The views of variants, in order.
  var views: [View] = []
  /// Trials while facts are handed on in parts, which do not have them.
  var heldTrials: [TrialFact] = []
  /// Whether there may be exposures.
  var hasViews = false
  /// The starts of the purchases (definitions 2.9) found so far, if there may be exposures.
  var purchases: [Int64] = []
  var payments: [Payment] = []
  /// By index in `payments`: the first expiration after it, and not after the subscription's next payment; of the period
  /// before if both are at one instant. Only with ``FoldOptions/takesEventTimes``.
  var expirations: [Int: Int64] = [:]
  /// The refunds in time order.
  var refunds: [Refund] = []
  /// By index in `events`: what was refunded of a payment, in its own currency.
  var refunded: [Int: Int64] = [:]
  var subscriptions = SubscriptionNumbers()
  /// By index in `events`: the number of the subscription (definitions 2.6) of payments, grants and churn events.
  var subscriptionOf: [Int32] = []
  var places = SubscriptionPlaces()
  /// The payments of each subscription, as indices in `payments`.
  var paid = SubscriptionPlaces()
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

  /// The number of conversions or payments at which facts are handed on.
  var mostFacts = Int.max

  /// Replaces ``facts`` with the facts of a user, or with the last of them, behind those that are handed on in parts.
  ///
  /// - Parameters:
  ///   - source: All events of the user's ids, in event order; afterwards an array to use again.
  ///   - most: The number of conversions or payments that makes a part.
  ///   - part: Called with the entry and some of the conversions, spells, payments and refunds; trials and exposures are
  ///     all in ``facts`` afterwards.
  public mutating func fold(
    taking source: inout [PersonEvent], dictionaries: borrowing EventDictionaries, most: Int,
    part: (borrowing PersonFacts) throws -> Void
  ) rethrows {
    mostFacts = most
    swap(&events, &source)
    let hasLifecycle = keepCounting(dictionaries)
    facts.removeAll()
    recordEntry(dictionaries)
    if hasLifecycle { try foldLifecycle(dictionaries, part) }
    let hasMany = events.count > Self.manyEvents
    recordExposures(dictionaries)
    if hasMany {
      removeScratch()
      views = []
    }
  }

  /// The number of events from which on the memory for them is given back.
  public static let manyEvents = 65_536

  mutating func removeScratch() {
    events = []
    impressions = []
    (payments, refunds, refunded, purchases) = ([], [], [:], [])
    (trials, heldTrials) = ([], [])
    (subscriptions, subscriptionOf) = (SubscriptionNumbers(), [])
    (places, paid) = (SubscriptionPlaces(), SubscriptionPlaces())
  }

  /// Removes the events that do not count (definitions 1.5) or do not exist at the as-of, and clears what is left of an
  /// earlier user.
  ///
  /// - Returns: Whether there may be trials or payments.
  private mutating func keepCounting(_ dictionaries: borrowing EventDictionaries) -> Bool {
    impressions.removeAll(keepingCapacity: true)
    payments.removeAll(keepingCapacity: true)
    refunds.removeAll(keepingCapacity: true)
    purchases.removeAll(keepingCapacity: true)
    churnedStarts.removeAll(keepingCapacity: true)
    var hasLifecycle = false
    hasViews = false
    var count = 0
    for place in events.indices {
      let event = events[place]
      guard options.knows(event.kind, at: event.ts), dictionaries.counts(client: event.client, terms: event.terms)
      else { continue }
      switch event.kind {
      // Only outcomes of exposures depend on activities.
      case .activity where !options.takesExposures: continue
      case .paywallImpression:
        impressions.append(count)
        hasViews = options.takesExposures
      case .exposure: hasViews = options.takesExposures
      case .trialStart, .conversion, .renewal, .payment, .planChange: hasLifecycle = true
      default: break
      }
      if count < place { events[count] = event }
      count += 1
    }
    events.removeLast(events.count - count)
    return hasLifecycle
  }

  /// Hands the conversions, spells, payments and refunds on and goes on without them.
  mutating func handOn(_ part: (borrowing PersonFacts) throws -> Void) rethrows {
    // Later facts may have the contexts of trials, which come first.
    swap(&facts.trials, &heldTrials)
    try part(facts)
    swap(&facts.trials, &heldTrials)
    facts.before.conversions += facts.conversions.count
    facts.before.spells += facts.spells.count
    facts.before.payments += facts.payments.count
    facts.before.refunds += facts.refunds.count
    facts.conversions.removeAll(keepingCapacity: true)
    facts.spells.removeAll(keepingCapacity: true)
    facts.payments.removeAll(keepingCapacity: true)
    facts.refunds.removeAll(keepingCapacity: true)
    facts.contexts.removeLast(facts.contexts.count - (facts.trials.last?.contexts.upperBound ?? 0))
  }

  /// Adds all facts of a user except entry and exposures.
  private mutating func foldLifecycle(
    _ dictionaries: borrowing EventDictionaries, _ part: (borrowing PersonFacts) throws -> Void
  ) rethrows {
    resolveSubscriptions(dictionaries)
    collectPayments(dictionaries)
    collectTrials(dictionaries)
    assignConversions(dictionaries)
    markCancelledTrials(dictionaries)
    if options.takesEventTimes { markExpiredTrials(dictionaries) }
    applyRefunds(dictionaries)
    recordTrials(dictionaries)
    try recordConversions(dictionaries, part)
    erased = []
    if options.erasesRefunded { eraseRefunded() }
    endCovers(dictionaries)
    if events.count > Self.manyEvents, !tracksSpells { subscriptionOf = [] }
    try recordSpells(dictionaries, part)
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
