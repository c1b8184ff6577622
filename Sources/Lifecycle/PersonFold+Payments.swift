import EventModel

/// A payment while its user's events are folded.
struct Payment {
  /// The payment's index in the user's events.
  var place: Int
  var ts: Int64
  var subscription: SubscriptionKey
  /// Whether it is a `conversion`, or a renewal that is read as one (definitions 1.5).
  var isConversion: Bool
  var product: NameID
  var plan: Plan
  var price: Int64
  var currency: NameID
  /// The end of the period paid for, before anything shortens it.
  var fullEnd: Int64
  /// The actual end, at or before `fullEnd`.
  var end: Int64
  var isEndedByRefund = false
  var isEndedByExpiration = false
  var refunded: Int64 = 0
  var refundedAt: Int64?
  /// The trial of the conversion, as an index in `trials`.
  var trial: Int?
}

/// A refund of a payment while its user's events are folded.
struct Refund {
  /// The payment, as an index in `payments`.
  var payment: Int
  var ts: Int64
  var amount: Int64
  var currency: NameID
}

extension PersonFold {
  /// Fills `payments`, in time order (definitions 1.5, 2.6).
  mutating func collectPayments(_ dictionaries: borrowing EventDictionaries) {
    payments.removeAll(keepingCapacity: true)
    var granted: [SubscriptionKey] = []
    for (place, event) in events.enumerated() {
      let terms = dictionaries.terms[Int(event.terms)]
      let key = subscriptionOf[place]
      if terms.isGrant(by: event.kind) {
        if !granted.contains(key) { granted.append(key) }
        continue
      }
      guard terms.isPaid(by: event.kind) else { continue }
      guard let plan = terms.plan else { preconditionFailure("a payment without a plan passed validation") }
      var kind = event.kind
      if kind == .payment {
        // After a grant, the next payment is read as its conversion.
        kind = !granted.contains(key) && isFirst(event, at: place, plan: plan, dictionaries) ? .conversion : .renewal
        events[place].kind = kind
      }
      var isConversion = kind == .conversion
      if kind == .renewal, (terms.price ?? 0) > 0, let grant = granted.firstIndex(of: key) {
        isConversion = true
        granted.remove(at: grant)
      }
      let end = coverEnd(of: event, plan: plan)
      payments.append(
        Payment(
          place: place, ts: event.ts, subscription: key, isConversion: isConversion, product: terms.product,
          plan: plan, price: terms.price ?? 0, currency: terms.currency, fullEnd: end, end: end))
    }
  }

  /// Returns whether a `payment` is the first of its subscription (definitions 2.12), given those before it.
  private func isFirst(
    _ event: PersonEvent, at place: Int, plan: Plan, _ dictionaries: borrowing EventDictionaries
  ) -> Bool {
    let key = subscriptionOf[place]
    if payments.contains(where: { $0.subscription == key }) { return false }
    if plan == .lifetime { return true }
    if let startedAt = event.startedAt, startedAt > event.ts - day { return true }
    if events[..<place].indices.contains(where: { events[$0].kind == .trialStart && subscriptionOf[$0] == key }) {
      return true
    }
    // An earlier payment would lie in the data.
    guard let first = dictionaries.firstPayments[dictionaries.clientApp[Int(event.client)]],
      let end = plan.end(of: 1, from: first)
    else { return false }
    return event.ts > end + options.grace
  }

  /// Returns the end of the period paid for (definitions 2.6); the greatest value for a lifetime plan.
  private func coverEnd(of event: PersonEvent, plan: Plan) -> Int64 {
    guard let end = plan.end(of: 1, from: event.ts) else { return .max }
    return event.expiresAt ?? end
  }

  /// Applies refunds to payments, records when a payment is refunded in full, and fills `refunds` (definitions 2.7).
  mutating func applyRefunds(_ dictionaries: borrowing EventDictionaries) {
    refunds.removeAll(keepingCapacity: true)
    for (place, event) in events.enumerated() where event.kind == .refund {
      guard let target = payment(refundedBy: event, at: place) else { continue }
      let terms = dictionaries.terms[Int(event.terms)]
      let left = max(0, payments[target].price - payments[target].refunded)
      refunds.append(
        Refund(
          payment: target, ts: event.ts, amount: terms.price ?? left,
          currency: (terms.price ?? 0) > 0 ? terms.currency : payments[target].currency))
      if let amount = terms.price {
        // A refund in another currency does not count towards the full amount.
        if amount > 0 && terms.currency != payments[target].currency { continue }
        payments[target].refunded += amount
      } else {
        payments[target].refunded = max(payments[target].refunded, payments[target].price)
      }
      if payments[target].refundedAt == nil && payments[target].refunded >= payments[target].price {
        payments[target].refundedAt = event.ts
      }
    }
  }

  /// Returns the payment with the refund's `transaction_id`, or otherwise the subscription's last payment before the
  /// refund.
  private func payment(refundedBy refund: PersonEvent, at place: Int) -> Int? {
    if refund.transaction != 0 {
      let named = payments.indices.filter { events[payments[$0].place].transaction == refund.transaction }
      if let target = named.last(where: { payments[$0].place < place }) ?? named.first { return target }
    }
    let key = subscriptionOf[place]
    return payments.indices.last { payments[$0].place < place && payments[$0].subscription == key }
  }

  /// Ends each cover at the next payment for another product, at the refund that completes the amount, or at an
  /// expiration after its start, whichever comes first (definitions 2.7).
  mutating func endCovers() {
    for index in payments.indices {
      var payment = payments[index]
      let otherProduct = payments[(index + 1)...].first {
        $0.subscription == payment.subscription && $0.product != payment.product
      }
      if let otherProduct { payment.end = min(payment.end, otherProduct.ts) }
      let expiration = events.indices.first {
        events[$0].kind == .expiration && events[$0].ts > payment.ts && subscriptionOf[$0] == payment.subscription
      }
      if let expiration, events[expiration].ts < payment.end {
        payment.end = events[expiration].ts
        payment.isEndedByExpiration = true
      }
      // A refund may name a payment later than itself; in that case nothing was covered.
      if let refundedAt = payment.refundedAt.map({ max($0, payment.ts) }), refundedAt <= payment.end,
        refundedAt < payment.fullEnd
      {
        payment.end = refundedAt
        payment.isEndedByRefund = true
      }
      payments[index] = payment
    }
  }
}
