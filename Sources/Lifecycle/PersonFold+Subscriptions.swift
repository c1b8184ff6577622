public import EventModel

/// The identity of a subscription (definitions 2.6): its id, or the product if its events have no id.
struct SubscriptionKey: Hashable {
  /// ``PersonEvent/subscription``; 0 if the product identifies the subscription.
  var id: Int32
  /// The product; 0 if the id identifies the subscription.
  var product: NameID

  /// The key of events without a subscription.
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
  /// Fills `subscriptionOf` (definitions 2.6).
  mutating func resolveSubscriptions(_ dictionaries: borrowing EventDictionaries) {
    // The subscriptions with an id, each with the products seen under it.
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
      if terms.isPaid(by: event.kind) { paidLast = key }
    }
  }

}

extension Terms {
  /// Returns whether an event of the kind with these terms is a payment and not a grant (definitions 2.6 and 1.5).
  public func isPaid(by kind: EventKind) -> Bool {
    switch kind {
    case .conversion: !isGrant(by: kind)
    case .renewal: true
    case .payment, .planChange: (price ?? 0) > 0
    default: false
    }
  }

  /// Returns whether an event of the kind with these terms grants free access (definitions 1.5).
  func isGrant(by kind: EventKind) -> Bool { kind == .conversion && price == 0 && hasOfferType }
}
