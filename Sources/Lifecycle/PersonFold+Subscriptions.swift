internal import Basics
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

/// The subscriptions of one user by number: 0 is none, the others in order of first sight.
struct SubscriptionNumbers {
  private var keys: [SubscriptionKey] = [.none]
  /// Of users with many.
  private var numbers: [SubscriptionKey: Int32] = [:]
  /// Up to this a look through the keys is faster.
  private static let few = 8

  var count: Int { keys.count }

  subscript(number: Int) -> SubscriptionKey { keys[number] }

  /// Gives the memory for finding numbers back; no number can be asked for afterwards.
  mutating func removeIndex() { numbers = [:] }

  mutating func number(of key: SubscriptionKey) -> Int {
    if keys.count <= Self.few {
      if let known = keys.firstIndex(of: key) { return known }
    } else if let known = numbers[key] {
      return Int(known)
    }
    keys.append(key)
    if keys.count > Self.few {
      if numbers.isEmpty { for (number, key) in keys.enumerated() { numbers[key] = Int32(number) } }
      numbers[key] = Int32(keys.count - 1)
    }
    return keys.count - 1
  }
}

/// The places of the events that pay, change or end a subscription, by its number and then in order.
struct SubscriptionPlaces {
  private var starts: [Int32] = [0]
  private var places: [Int32] = []

  init() {}

  /// - Parameters:
  ///   - count: The number of subscriptions.
  ///   - wanted: The places, in order.
  ///   - subscription: Returns the number of the subscription at a place.
  init(count: Int, of wanted: some Sequence<Int>, subscription: (_ place: Int) -> Int) {
    starts = [Int32](repeating: 0, count: count + 1)
    for place in wanted { starts[subscription(place) + 1] += 1 }
    for number in 0..<count { starts[number + 1] += starts[number] }
    places = [Int32](repeating: 0, count: Int(starts[count]))
    // Each start moves to the end of its places, which is the next start.
    for place in wanted {
      places[Int(starts[subscription(place)])] = Int32(place)
      starts[subscription(place)] += 1
    }
    starts.removeLast()
    starts.insert(0, at: 0)
  }

  func of(_ subscription: Int) -> CompactPlaces {
    CompactPlaces(places[Int(starts[subscription])..<Int(starts[subscription + 1])])
  }

  /// Those of a subscription from a place on.
  func of(_ subscription: Int, from place: Int) -> CompactPlaces {
    let own = of(subscription)
    return own[own.firstPlace { $0 >= place }...]
  }
}

extension PersonFold {
  /// Fills `subscriptions` and `subscriptionOf`; with ``coverEnd(of:plan:)``, implements definitions 2.6.
  mutating func resolveSubscriptions(_ dictionaries: borrowing EventDictionaries) {
    /// The only id seen with a product; 0 where several were.
    var onlyID: [NameID: Int32] = [:]
    for event in events where event.subscription != 0 {
      let product = dictionaries.terms[Int(event.terms)].product
      if product == 0 { continue }
      if let known = onlyID[product] {
        if known != event.subscription { onlyID[product] = 0 }
      } else {
        onlyID[product] = event.subscription
      }
    }
    subscriptions = SubscriptionNumbers()
    subscriptionOf.removeAll(keepingCapacity: true)
    var paidLast = 0
    for event in events {
      let terms = dictionaries.terms[Int(event.terms)]
      var number = 0
      if event.subscription != 0 {
        number = subscriptions.number(of: SubscriptionKey(id: event.subscription, product: 0))
      } else if terms.product != 0 {
        let id = onlyID[terms.product] ?? 0
        number = subscriptions.number(of: SubscriptionKey(id: id, product: id == 0 ? terms.product : 0))
      } else if event.kind.isChurn {
        number = paidLast
      }
      subscriptionOf.append(Int32(number))
      if terms.isPaid(by: event.kind) { paidLast = number }
    }
    subscriptions.removeIndex()
    let (events, subscriptionOf, terms) = (events, subscriptionOf, dictionaries.terms)
    let ofSubscriptions = events.indices.lazy.filter { place in
      events[place].kind.isChurn || terms[Int(events[place].terms)].isPaid(by: events[place].kind)
    }
    places = SubscriptionPlaces(count: subscriptions.count, of: ofSubscriptions) { Int(subscriptionOf[$0]) }
  }

}

extension Terms {
  /// Returns whether an event of the kind with these terms is a payment and not a grant.
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
