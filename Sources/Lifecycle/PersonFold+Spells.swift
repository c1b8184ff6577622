import EventModel

extension PersonFold {
  /// Splits each subscription's payments into spells; implements definitions 2.8 and 2.9.
  mutating func recordSpells(
    _ dictionaries: borrowing EventDictionaries, _ part: (borrowing PersonFacts) throws -> Void
  ) rethrows {
    let paid = paid
    if tracksSpells { spellOfPayment = Array(repeating: 0, count: payments.count) }
    let refunds = refunds
    let refundsOf =
      refunds.isEmpty
      ? nil : SubscriptionPlaces(count: payments.count, of: refunds.indices) { refunds[$0].payment }
    for payment in payments {
      let own = paid.of(payment.subscription)
      guard payments[own[own.startIndex]].place == payment.place else { continue }
      var ordinal = 1
      var first = own.startIndex
      while first < own.endIndex {
        var next = first + 1
        var cover = CoverEnd(payments[own[first]])
        while next < own.endIndex,
          graceEnd(after: payments[own[next - 1]], cover.end, asFarAs: payments[own[next]].ts) >= payments[own[next]].ts
        {
          cover.add(payments[own[next]])
          next += 1
        }
        try recordSpell(
          own[first..<next], ordinal: ordinal, end: cover.end,
          graceEnd: graceEnd(after: payments[own[next - 1]], cover.end),
          nextPlace: next < own.endIndex ? payments[own[next]].place : nil, refundsOf, dictionaries, part)
        ordinal += 1
        first = next
      }
    }
  }

  /// The end of what a spell's payments cover: a payment that was given back at once covers nothing.
  struct CoverEnd {
    private(set) var end: Int64
    private var isCovered: Bool

    init(_ payment: Payment) {
      end = payment.end
      isCovered = payment.end > payment.ts
    }

    mutating func add(_ payment: Payment) {
      let covers = payment.end > payment.ts
      if covers == isCovered { end = max(end, payment.end) } else if covers { end = payment.end }
      isCovered = isCovered || covers
    }
  }

  /// Returns the end of the cover plus grace, or the later end that billing issues after the payment set.
  ///
  /// - Parameters:
  ///   - limit: The search stops once the grace reaches this instant.
  ///   - nextPlace: The place of the next payment, whose billing issues are its own; `nil` if all count.
  func graceEnd(
    after payment: Payment, _ coverEnd: Int64, asFarAs limit: Int64 = .max, before nextPlace: Int? = nil
  ) -> Int64 {
    if coverEnd == .max { return .max }
    var graceEnd = coverEnd + options.grace
    if graceEnd >= limit { return graceEnd }
    for place in places.of(payment.subscription, from: payment.place + 1) {
      let event = events[place]
      guard event.ts < graceEnd, graceEnd < limit, place < nextPlace ?? .max else { break }
      graceEnd = event.graceEnd(movedFrom: graceEnd)
    }
    return graceEnd
  }

  private mutating func recordSpell(
    _ members: CompactPlaces, ordinal: Int, end: Int64, graceEnd: Int64, nextPlace: Int?,
    _ refundsOf: SubscriptionPlaces?,
    _ dictionaries: borrowing EventDictionaries, _ part: (borrowing PersonFacts) throws -> Void
  ) rethrows {
    let first = payments[members[members.startIndex]]
    let last = payments[members[members.endIndex - 1]]
    let event = events[first.place]
    let terms = dictionaries.terms[Int(event.terms)]
    let renewalState = renewalState(of: first, end: end, before: nextPlace)
    let contexts = self.contexts(of: first, dictionaries)
    let trialKind = first.trial.map { trials[$0].kind } ?? .none
    let spell = facts.before.spells + facts.spells.count
    let fact = SpellFact(
      subscription: subscriptions[first.subscription].id, ordinal: ordinal, start: first.ts, end: end,
      graceEnd: graceEnd,
      reason: churnReason(members, last: last, end: end, graceEnd: graceEnd, nextPlace: nextPlace, dictionaries),
      isPurchase: ordinal == 1 && first.isConversion, price: terms.price ?? 0, currency: terms.currency,
      hasOfferType: terms.hasOfferType, paymentCount: members.count,
      lastPaymentAt: last.ts, isOffAt35: renewalState.isOff[0], isOffAt95: renewalState.isOff[1],
      isOffAt370: renewalState.isOff[2], isOff: renewalState.isOff[3], firstCancelledAt: renewalState.firstCancelledAt,
      firstRefundedAt: first.refundedAt, contexts: contexts,
      dimensions: dimensions(
        of: event, dictionaries, trialKind: trialKind, offering: offering(of: first, dictionaries)))
    facts.spells.append(fact)
    if fact.isPurchase && hasViews { purchases.append(fact.start) }
    for member in members {
      if tracksSpells { spellOfPayment[member] = spell }
      let payment = payments[member]
      let event = events[payment.place]
      let terms = dictionaries.terms[Int(event.terms)]
      var paymentFact = PaymentFact(
        ts: payment.ts, spell: spell, kind: event.kind, product: terms.product, plan: payment.plan,
        price: terms.price ?? 0, currency: terms.currency, terms: event.terms, coverEnd: payment.end,
        paidUntil: payment.cuts.isEmpty ? payment.end : coverEnd(of: event, plan: payment.plan),
        refunded: refunded[payment.place] ?? 0, refundedAt: payment.refundedAt)
      if options.takesEventTimes { paymentFact.expiredAt = expirations[member] }
      facts.payments.append(paymentFact)
      let number = facts.before.payments + facts.payments.count - 1
      for place in refundsOf?.of(member) ?? CompactPlaces([]) {
        let refund = refunds[place]
        facts.refunds.append(
          RefundFact(ts: refund.ts, payment: number, spell: spell, amount: refund.amount, currency: refund.currency))
      }
      if facts.payments.count >= mostFacts { try handOn(part) }
    }
  }

  /// Returns whether auto-renew was off at each age and at the as-of, and the first cancellation before the end.
  private func renewalState(
    of first: Payment, end: Int64, before nextPlace: Int?
  ) -> (isOff: SIMDMask<SIMD4<Int64>>, firstCancelledAt: Int64?) {
    let ends = SIMD4(first.ts + 35 * day, first.ts + 95 * day, first.ts + 370 * day, options.renewalAt)
    var isOff = SIMDMask<SIMD4<Int64>>(repeating: false)
    var firstCancelledAt: Int64?
    for place in places.of(first.subscription, from: first.place) {
      if let nextPlace, place >= nextPlace { break }
      let event = events[place]
      let isCancellation = event.kind == .cancellation
      guard isCancellation || event.kind == .reactivation || !event.kind.isChurn, !erased.contains(place) else {
        continue
      }
      isOff.replace(with: isCancellation, where: SIMD4(repeating: event.ts) .< ends)
      if isCancellation && firstCancelledAt == nil && event.ts < end { firstCancelledAt = event.ts }
    }
    return (isOff, firstCancelledAt)
  }

  /// Returns the reason for the end, for ``recordSpells(_:)``: the first that applies, in the order of the page.
  private func churnReason(
    _ members: CompactPlaces, last: Payment, end: Int64, graceEnd: Int64, nextPlace: Int?,
    _ dictionaries: borrowing EventDictionaries
  ) -> ChurnReason {
    if end == .max { return .unstated }
    if members.contains(where: { payments[$0].cuts.contains(.refund) && payments[$0].end == end }) { return .refund }
    let endedByExpiration = members.contains { payments[$0].cuts.contains(.expiration) && payments[$0].end == end }
    if endedByExpiration, let refundedAt = last.refundedAt, refundedAt >= end, refundedAt < end + day { return .refund }

    var lastChange: ChurnReason?
    var hasBillingIssue = false
    var stated: ChurnReason?
    // Nothing counts that comes after all of these, or after the next payment's instant.
    let latest = min(max(graceEnd, end + 60 * day), nextPlace.map { events[$0].ts + 1 } ?? .max)
    for place in places.of(last.subscription, from: last.place + 1) {
      let event = events[place]
      if event.ts >= latest { break }
      let reason = dictionaries.terms[Int(event.terms)].reason
      switch event.kind {
      case .cancellation where event.ts < end: lastChange = reason == .unstated ? .voluntary : reason
      case .reactivation where event.ts < end: lastChange = nil
      case .billingIssue where event.ts < graceEnd: hasBillingIssue = true
      case .expiration:
        // An expiration at the instant of the next payment belongs to this period, although it sorts after it.
        let isBeforeNext = nextPlace.map { event.ts <= events[$0].ts } ?? true
        if event.ts > last.ts && isBeforeNext && event.ts < end + 60 * day && reason != .unstated { stated = reason }
      default: break
      }
    }
    return lastChange ?? (hasBillingIssue ? .billing : stated ?? .other)
  }
}
