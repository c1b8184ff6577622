import EventModel

/// What a subscription is known by (definitions 2.6): its id, or, for events without one, its product.
struct SubscriptionKey: Hashable {
  /// ``PersonEvent/subscription``; 0 where the product stands for it.
  var id: Int32
  /// 0 where the id is known.
  var product: NameID

  /// Of events that belong to no subscription.
  static let none = SubscriptionKey(id: 0, product: 0)
}

extension EventKind {
  /// Whether the event changes or ends a subscription without being a payment.
  var isChurn: Bool {
    switch self {
    case .cancellation, .reactivation, .billingIssue, .expiration, .refund: true
    default: false
    }
  }
}

extension PersonFold {
  /// Definitions 2.6: fills `subscriptionOf`.
  mutating func resolveSubscriptions(_ dictionaries: borrowing EventDictionaries) {
    // The subscriptions with an id, and the products seen with them.
    var products: [(id: Int32, product: NameID)] = []
    for event in events where event.subscription != 0 {
      let product = dictionaries.terms[Int(event.terms)].product
      if product == 0 || products.contains(where: { $0.id == event.subscription && $0.product == product }) { continue }
      products.append((event.subscription, product))
    }
    subscriptionOf.removeAll(keepingCapacity: true)
    var paidLast = SubscriptionKey.none
    for event in events {
      let terms = dictionaries.terms[Int(event.terms)]
      var key = SubscriptionKey.none
      if event.subscription != 0 {
        key.id = event.subscription
      } else if terms.product != 0 {
        let candidates = products.filter { $0.product == terms.product }
        if candidates.count == 1 { key.id = candidates[0].id } else { key.product = terms.product }
      } else if event.kind.isChurn {
        key = paidLast
      }
      subscriptionOf.append(key)
      if isPayment(event, terms) { paidLast = key }
    }
  }

  /// Definitions 2.6 and 1.5: a payment, and no grant.
  func isPayment(_ event: PersonEvent, _ terms: Terms) -> Bool {
    switch event.kind {
    case .conversion: !isGrant(event, terms)
    case .renewal: true
    case .planChange: (terms.price ?? 0) > 0
    default: false
    }
  }

  /// Definitions 1.5: access given for nothing.
  func isGrant(_ event: PersonEvent, _ terms: Terms) -> Bool {
    event.kind == .conversion && terms.price == 0 && terms.hasOfferType
  }
}
