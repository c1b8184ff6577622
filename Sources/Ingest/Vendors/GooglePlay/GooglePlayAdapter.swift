internal import Basics
internal import EventModel

/// Reads Google Play's notifications, orders and states of subscriptions, in one file or in several:
/// ``GooglePlayNotifications`` are hints, ``events(ofOrder:)`` are money, ``events(ofSubscription:)`` is the rest.
///
/// An order names no user and a state no purchase token, so that they meet by the order's number: the payer's token,
/// the app's own id of the user and the number are one user.
struct GooglePlayAdapter: VendorAdapter {
  static let vendor = "googleplay"

  let context: VendorContext

  func payloads(in document: JSONNode) -> [JSONNode] { document["orders"]?.elements ?? [document] }

  func events(of payload: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    if payload["subscriptionState"] != nil { return try events(ofSubscription: payload) }
    if payload["orderId"] != nil { return try events(ofOrder: payload) }
    return try GooglePlayNotifications(app: context.app).events(of: payload)
  }

  /// The user of a payload, and the purchase that it belongs to.
  struct Purchase {
    /// The app's own id of the user, else the token, else the number of the first order.
    let user: String?
    /// The first token that the payload knows of the purchase.
    let subscription: String?
    let packageName: String?
    /// Other ids of the user.
    let others: [String]

    /// - Parameter orders: The numbers of its orders.
    init(_ payload: JSONNode, orders: [String]) {
      let accounts = payload["externalAccountIdentifiers"]
      let account = accounts?["obfuscatedExternalAccountId"]?.text ?? accounts?["externalAccountId"]?.text
      let token = payload["purchaseToken"]?.text.map { NativeEvent.short($0) }
      let linked = payload["linkedPurchaseToken"]?.text.map { NativeEvent.short($0) }
      packageName = payload["packageName"]?.text
      subscription = linked ?? token
      var ids = [account, token, linked].compactMap { $0 }
      for order in orders { ids.append(NativeEvent.short(Self.first(of: order))) }
      user = ids.first
      var met: Set<String?> = [user]
      others = ids.filter { met.insert($0).inserted }
    }

    /// Returns the number of a purchase's first order: those of its renewals end in `..0`, `..1` and so on.
    private static func first(of order: String) -> String {
      let parts = order.split(separator: ".", omittingEmptySubsequences: false)
      guard let gap = parts.firstIndex(of: ""), gap > 0 else { return order }
      return parts[..<gap].joined(separator: ".")
    }

    static func isFirst(_ order: String) -> Bool { first(of: order) == order }
  }

  /// - Parameter id: The vendor's key of the event among those of its kind.
  func event(_ kind: EventKind, id: String, of purchase: Purchase, at instant: Int64?) -> NativeEvent {
    var event = NativeEvent(kind, id: NativeEvent.id(Self.vendor, kind.name, id))
    event.set(.ts, milliseconds: instant)
    event[.app] = (context.app ?? purchase.packageName).map { .string($0) }
    event[.userID] = purchase.user.map { .string($0) }
    event[.store] = "play_store"
    event[.platform] = "android"
    event[.subscriptionID] = purchase.subscription.map { .string($0) }
    return event
  }

  /// Returns that all ids of a user are one.
  func joins(of purchase: Purchase, at instant: Int64?) -> [NativeEvent] {
    context.joins(purchase.user, purchase.others, app: context.app ?? purchase.packageName, at: instant)
  }

  /// Returns the plan of a product: as `--plan` says of the product, of the product and its base plan, or of the base
  /// plan; else as their names or the paid period show.
  func plan(_ product: String?, _ basePlan: String?, period: Int64? = nil) -> JSONNode? {
    let plans = context.plans
    let both = product.flatMap { product in basePlan.map { "\(product):\($0)" } }
    let names = [product, both, basePlan].compactMap { $0 }
    let plan =
      names.lazy.compactMap { plans.given(for: $0) }.first ?? basePlan.flatMap { plans.plan(of: $0) }
      ?? product.flatMap { plans.plan(of: $0, period: period) }
    return plan.map { .string($0.name) }
  }
}
