import EventModel

/// A payment while its user's events are folded. Its product, price and currency are in the terms of its event.
struct Payment {
  var ts: Int64
  /// The end of the period paid for, or earlier where there are ``cuts``.
  var end: Int64
  @CompactNumber var refundedAt: Int64?
  /// The payment's index in the user's events.
  @CompactPlace var place: Int
  @CompactPlace var subscription: Int
  /// The trial of the conversion, as an index in `trials`.
  @CompactPlaceOrNone var trial: Int?
  var plan: Plan
  /// Whether the payment is a `conversion`, or a renewal that is read as one.
  var isConversion: Bool
  var cuts: Cuts = []

  /// Why the cover ends before the period paid for.
  struct Cuts: OptionSet {
    let rawValue: UInt8

    static let otherProduct = Cuts(rawValue: 1)
    static let expiration = Cuts(rawValue: 2)
    static let refund = Cuts(rawValue: 4)
  }

  mutating func cut(_ cause: Cuts, at ts: Int64) {
    if ts < end { cuts.insert(cause) }
    end = min(end, ts)
  }
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
  /// Fills `payments`, in time order.
  mutating func collectPayments(_ dictionaries: borrowing EventDictionaries) {
    payments.removeAll(keepingCapacity: true)
    if events.count > Self.manyEvents {
      // Growing step by step takes up to three times the memory.
      payments.reserveCapacity(
        events.count { event in dictionaries.terms[Int(event.terms)].isPaid(by: event.kind) })
    }
    var granted: Set<Int> = []
    let isPlacing = events.contains { $0.kind == .payment }
    /// The subscriptions with a payment and those with a trial so far, for `payment` events alone.
    var begun: (paid: Set<Int>, tried: Set<Int>) = ([], [])
    // Not over the events themselves, which changing one would copy.
    for place in events.indices {
      let event = events[place]
      let terms = dictionaries.terms[Int(event.terms)]
      let key = Int(subscriptionOf[place])
      if terms.isGrant(by: event.kind) {
        granted.insert(key)
        continue
      }
      if isPlacing, event.kind == .trialStart { begun.tried.insert(key) }
      guard terms.isPaid(by: event.kind) else { continue }
      guard let plan = terms.plan else {
        isMalformed = true
        continue
      }
      var kind = event.kind
      if kind == .payment {
        // After a grant, the next payment is read as its conversion.
        let isFirst =
          !begun.paid.contains(key) && isFirst(event, plan: plan, isTried: begun.tried.contains(key), dictionaries)
        kind = isFirst && !granted.contains(key) ? .conversion : .renewal
        events[place].kind = kind
      }
      if isPlacing { begun.paid.insert(key) }
      var isConversion = kind == .conversion
      if kind == .renewal, (terms.price ?? 0) > 0, granted.remove(key) != nil { isConversion = true }
      payments.append(
        Payment(
          ts: event.ts, end: coverEnd(of: event, plan: plan), place: place, subscription: key, plan: plan,
          isConversion: isConversion))
    }
  }

  /// Returns whether a `payment` without another before it is the first of its subscription; implements definitions 2.12.
  ///
  /// - Parameter isTried: Whether the subscription had a trial before.
  private func isFirst(
    _ event: PersonEvent, plan: Plan, isTried: Bool, _ dictionaries: borrowing EventDictionaries
  ) -> Bool {
    if isTried || plan == .lifetime || event.isOfNewSubscription { return true }
    // An earlier payment would be in the data.
    guard let first = dictionaries.firstPayments[dictionaries.clientApp[Int(event.client)]],
      let end = plan.end(of: 1, from: first)
    else { return false }
    return event.ts > end + options.grace
  }

  /// Returns the end of the period paid for: `expires_at`, or else the plan's length after the payment; the greatest
  /// value for a lifetime plan.
  func coverEnd(of event: PersonEvent, plan: Plan) -> Int64 {
    guard let end = plan.end(of: 1, from: event.ts) else { return .max }
    return event.expiresAt ?? end
  }

  /// Applies refunds to payments, records when a payment is refunded in full, for ``endCovers(_:)``, and fills `refunds`.
  mutating func applyRefunds(_ dictionaries: borrowing EventDictionaries) {
    refunds.removeAll(keepingCapacity: true)
    refunded = [:]
    guard events.contains(where: { $0.kind == .refund }) else { return }
    // The last payment so far of each transaction and each subscription; of a transaction also the first of all.
    var (named, own, later) = ([Int32: Int](), [Int: Int](), [Int32: Int]())
    for index in payments.indices.reversed() { later[events[payments[index].place].transaction] = index }
    var next = 0
    for (place, event) in events.enumerated() where event.kind == .refund {
      while next < payments.count, payments[next].place < place {
        named[events[payments[next].place].transaction] = next
        own[payments[next].subscription] = next
        next += 1
      }
      let transaction = event.transaction
      let target = transaction == 0 ? nil : named[transaction] ?? later[transaction]
      guard let target = target ?? own[Int(subscriptionOf[place])] else { continue }
      let terms = dictionaries.terms[Int(event.terms)]
      let paid = dictionaries.terms[Int(events[payments[target].place].terms)]
      let (price, before) = (paid.price ?? 0, refunded[payments[target].place] ?? 0)
      refunds.append(
        Refund(
          payment: target, ts: event.ts, amount: terms.price ?? max(0, price - before),
          currency: (terms.price ?? 0) > 0 ? terms.currency : paid.currency))
      var after = max(before, price)
      if let amount = terms.price {
        // A refund in another currency does not count towards the full amount.
        if amount > 0 && terms.currency != paid.currency { continue }
        let (sum, isTooLarge) = before.addingReportingOverflow(amount)
        after = isTooLarge ? .max : sum
      }
      refunded[payments[target].place] = after
      if payments[target].refundedAt == nil && after >= price { payments[target].refundedAt = event.ts }
    }
  }

  /// Removes payments that were given back in full, and all refunds; only with ``FoldOptions/erasesRefunded``.
  mutating func eraseRefunded() {
    erased = Set(payments.lazy.filter { $0.refundedAt != nil }.map(\.place))
    payments.removeAll { $0.refundedAt != nil }
    refunds.removeAll(keepingCapacity: true)
  }

  /// Ends each cover at the next payment for another product, at the refund that completes the amount, and at an
  /// expiration after its start; implements definitions 2.7, with the refunds that ``applyRefunds(_:)`` found.
  mutating func endCovers(_ dictionaries: borrowing EventDictionaries) {
    expirations = [:]
    paid = SubscriptionPlaces(count: subscriptions.count, of: payments.indices) { payments[$0].subscription }
    for subscription in 0..<subscriptions.count {
      let own = places.of(subscription)
      var after = own.endIndex
      // The next payment, and when the next one of another product than that is.
      var next = (product: NameID(0), ts: Int64.max, otherProduct: Int64.max)
      // The first expiration after an instant that is not before the payment looked at.
      var expiration = Int64.max
      for index in paid.of(subscription).reversed() {
        var payment = payments[index]
        // An expiration at the very instant of a payment belongs to the period before.
        while after > own.startIndex, events[own[after - 1]].ts > payment.ts {
          after -= 1
          if events[own[after]].kind == .expiration { expiration = events[own[after]].ts }
        }
        if options.takesEventTimes, expiration < .max, expiration <= next.ts { expirations[index] = expiration }
        let product = dictionaries.terms[Int(events[payment.place].terms)].product
        let otherProduct = next.product == product ? next.otherProduct : next.ts
        next = (product, payment.ts, otherProduct)
        payment.cut(.otherProduct, at: otherProduct)
        payment.cut(.expiration, at: expiration)
        // A refund may name a payment later than itself; in that case nothing was covered.
        if let refundedAt = payment.refundedAt.map({ max($0, payment.ts) }) {
          // At the very end that something else has set, too.
          if refundedAt == payment.end && !payment.cuts.isEmpty { payment.cuts.insert(.refund) }
          payment.cut(.refund, at: refundedAt)
        }
        payments[index] = payment
      }
    }
  }
}
