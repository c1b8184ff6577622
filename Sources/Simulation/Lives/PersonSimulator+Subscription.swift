internal import EventModel

/// The periods of one subscription.
///
/// The reports count cancellations and ends up to 35 and 95 days after the first payment, a few days into the second
/// and the fourth month. In later months, cancellations and refunds come at least 11 days after the month's start (35 d
/// + 2.9 d of grace − 28 d, rounded up), so that those counts follow from whole months.
private struct SubscriptionState {
  var product: Product
  let subscription: Int
  var paidAt: Milliseconds
  var anchor: Milliseconds
  /// Periods since the anchor.
  var periods = 0
  /// The number of the period: 1 for the first, which may follow a trial.
  var number = 1
  var upgraded = false
  var transaction: Int

  var months: Int { product.plan.months ?? 0 }
  var periodStart: Milliseconds { anchor.advanced(months: periods * months) }
  var due: Milliseconds { anchor.advanced(months: (periods + 1) * months) }
}

extension PersonSimulator {
  private static let quietDays = 11 * Int64.day

  mutating func tellSubscription(_ sale: Sale) {
    guard sale.paidAt < span.upperBound else { return }
    var random = person.random(for: .subscription)
    let transaction = newTransaction()
    var state = SubscriptionState(
      product: sale.product, subscription: sale.subscription ?? transaction, paidAt: sale.paidAt,
      anchor: sale.anchor, number: sale.startsAsRenewal ? 2 : 1, transaction: transaction)
    let hazards = SubscriptionHazards(app: app, variant: person.variant, cancelFactor: sale.cancelFactor)

    var first = payment(sale.startsAsRenewal ? .renewal : .conversion, state)
    first.context = sale.context
    if let offer = sale.firstOffer {
      first.offer = offer.offer
      first.offerCode = offer.code
      first.minorUnits = offer.minorUnits
    }
    emit(first)
    if random.happens(0.03) {
      emit(SampleEvent(.restore, at: state.paidAt + random.within(.hour..<20 * .day)))
    }
    guard state.product.plan != .lifetime else {
      if random.happens(hazards.lifetimeRefund()) {
        tellRefund(state, after: random.within(3 * .hour..<14 * .day), with: &random)
      }
      return
    }
    while state.paidAt < span.upperBound {
      guard tellPeriod(&state, hazards: hazards, with: &random) else { return }
    }
  }

  /// Simulates the end of a period and the next payment; returns `false` if there is none.
  private mutating func tellPeriod(
    _ state: inout SubscriptionState, hazards: SubscriptionHazards, with random: inout CounterRandom
  ) -> Bool {
    let isYearly = state.product.plan == .yearly
    var period = isYearly ? hazards.year(state.number) : hazards.month(state.number)
    if state.upgraded, state.number == 1 { period.refund = 0 }
    let draw = random.uniform()
    var bound = period.refund
    if draw < bound {
      let isFirst = state.number == 1
      tellRefund(
        state, after: random.within(isFirst ? 3 * .hour..<14 * .day : Self.quietDays..<14 * .day), with: &random)
      return false
    }
    bound += period.cancel
    if draw < bound {
      tellCancellation(state, hazards: hazards, with: &random)
      return tellResubscription(&state, endedAt: state.due, with: &random)
    }
    bound += period.billing
    if draw < bound {
      tellBillingFailure(state)
      return tellResubscription(&state, endedAt: state.due + 3 * .day, with: &random)
    }
    bound += period.upgrade
    if draw < bound {
      tellUpgrade(&state, with: &random)
    } else {
      tellRenewal(&state, with: &random)
    }
    return true
  }

  private mutating func payment(_ kind: EventKind, _ state: SubscriptionState) -> SampleEvent {
    var event = churn(kind, at: state.paidAt, of: state)
    event.minorUnits = state.product.minorUnits(in: person.country.currency)
    event.transaction = state.transaction
    if state.product.plan != .lifetime { event.expires = state.due }
    return event
  }

  private func churn(
    _ kind: EventKind, at instant: Milliseconds, of state: SubscriptionState, reason: String? = nil
  ) -> SampleEvent {
    churn(kind, at: instant, of: state.product, state.subscription, reason: reason)
  }

  private mutating func tellBillingIssue(_ state: SubscriptionState, graceDays: Int64) {
    var issue = churn(.billingIssue, at: state.due, of: state)
    issue.graceEnds = state.due + graceDays * .day
    emit(issue)
  }

  private mutating func tellRefund(
    _ state: SubscriptionState, after delay: Milliseconds, with random: inout CounterRandom
  ) {
    let refunded = state.paidAt + delay
    var refund = churn(.refund, at: refunded, of: state)
    if random.happens(0.7) { refund.transaction = state.transaction }
    if random.happens(0.5) { refund.minorUnits = state.product.minorUnits(in: person.country.currency) }
    refund.reason = random.happens(0.5) ? "requested" : "accidental purchase"
    emit(refund)
    guard state.product.plan != .lifetime else { return }
    // The store may end access before it reports the refund.
    let expired =
      random.happens(0.25)
      ? refunded - random.within(.minute..<2 * .hour) : refunded + random.within(.minute..<60 * .minute)
    emit(churn(.expiration, at: expired, of: state, reason: "other"))
  }

  private mutating func tellCancellation(
    _ state: SubscriptionState, hazards: SubscriptionHazards, with random: inout CounterRandom
  ) {
    let cancelled: Milliseconds
    if state.upgraded, state.number == 1 {
      cancelled = state.paidAt + random.within(200 * .day..<360 * .day)
    } else if state.product.plan == .yearly {
      let spans = [.hour..<34 * .day, 36 * .day..<94 * .day, 96 * .day..<360 * .day] as [Range<Milliseconds>]
      cancelled = state.paidAt + random.within(spans[random.pick(hazards.yearlyCancelRates)])
    } else if state.number == 1 {
      let end = random.happens(0.4) ? state.paidAt + 3 * .day : state.due - .hour
      cancelled = random.within(state.paidAt + 10 * .minute..<end)
    } else {
      cancelled = random.within(state.periodStart + Self.quietDays..<state.due - .hour)
    }
    let draw = random.uniform()
    let reason = draw < 0.05 ? "price_increase" : draw < 0.07 ? "product_unavailable" : draw < 0.5 ? "voluntary" : nil
    emit(churn(.cancellation, at: cancelled, of: state, reason: reason))
    guard random.happens(0.95) else { return }
    emit(churn(.expiration, at: state.due, of: state, reason: reason ?? "voluntary"))
  }

  private mutating func tellBillingFailure(_ state: SubscriptionState) {
    tellBillingIssue(state, graceDays: 3)
    emit(churn(.expiration, at: state.due + 3 * .day, of: state, reason: "billing"))
  }

  /// Simulates lapsed subscribers who come back and pay; a win-back offer is a third off.
  private mutating func tellResubscription(
    _ state: inout SubscriptionState, endedAt: Milliseconds, with random: inout CounterRandom
  ) -> Bool {
    guard random.happens(app.subscriptions.resubscribeRate), let place = app.entryPoint(app.returnEntryPoint)
    else { return false }
    let seen = endedAt + random.within(5 * .day..<25 * .day)
    guard seen < span.upperBound else { return false }
    // Users outside the experiment resubscribe in the store: a first paywall here would put them into the funnel.
    if person.kind == .meetsPaywalls {
      tellImpression(place, at: seen)
      tellPurchaseStarted(place, at: seen + 15 * .second)
    }
    state.paidAt = seen + 40 * .second
    state.anchor = state.paidAt
    state.periods = 0
    state.number = 2
    state.upgraded = false
    state.transaction = newTransaction()
    var event = payment(.renewal, state)
    if random.happens(0.4) {
      event.offer = .winBack
      event.minorUnits = event.minorUnits.map { $0 * 2 / 3 }
    }
    emit(event)
    return true
  }

  private mutating func tellUpgrade(_ state: inout SubscriptionState, with random: inout CounterRandom) {
    let previous = state.product
    state.paidAt = max(state.paidAt, state.periodStart) + random.within(5 * .day..<20 * .day)
    state.product = product(.yearly, tier: previous.tier)
    state.anchor = state.paidAt
    state.periods = 0
    state.number = 1
    state.upgraded = true
    state.transaction = newTransaction()
    var event = payment(.planChange, state)
    event.previousProduct = previous
    emit(event)
  }

  private mutating func tellRenewal(_ state: inout SubscriptionState, with random: inout CounterRandom) {
    if random.happens(0.05) {
      let earliest = state.number == 1 ? state.paidAt + .day : state.periodStart + Self.quietDays
      let cancelled = earliest + random.within(0..<5 * .day)
      emit(churn(.cancellation, at: cancelled, of: state))
      emit(churn(.reactivation, at: cancelled + random.within(12 * .hour..<8 * .day), of: state))
    }
    if state.number > 1, random.happens(0.005) {
      var refund = churn(.refund, at: state.periodStart + Self.quietDays, of: state)
      refund.transaction = state.transaction
      refund.minorUnits = state.product.minorUnits(in: person.country.currency) / 2
      refund.reason = "goodwill"
      emit(refund)
    }
    if state.product.plan == .yearly, random.happens(0.02) {
      // The change takes effect at the end of the year; nothing is paid now.
      var change = churn(.planChange, at: state.paidAt + random.within(10 * .day..<60 * .day), of: state)
      change.previousProduct = state.product
      change.product = product(.monthly, tier: state.product.tier)
      emit(change)
    }
    let due = state.due
    var paidAt = due
    if random.happens(0.05) {
      let graceDays: Int64 = random.happens(0.2) ? 6 : 3
      tellBillingIssue(state, graceDays: graceDays)
      paidAt = due + random.within(4 * .hour..<graceDays * .day - 4 * .hour)
    }
    state.paidAt = paidAt
    state.periods += 1
    state.number += 1
    state.upgraded = false
    state.transaction = newTransaction()
    emit(payment(.renewal, state))
  }
}
