internal import Basics
internal import EventModel

/// The parts of Stripe's objects that events are made of, as API versions before and after 2025-03-31 (basil) spell
/// them.
struct StripeObject {
  let node: JSONNode

  init(_ node: JSONNode) { self.node = node }

  subscript(name: String) -> JSONNode? { node[name] }

  func text(_ name: String) -> String? { node[name]?.text }

  /// Returns the id of another object, which is expanded or not.
  func id(of name: String) -> String? { Self.id(node[name]) }

  private static func id(_ value: JSONNode?) -> String? { value?.text ?? value?["id"]?.text }

  /// Returns an instant in milliseconds of a member in seconds.
  func instant(_ name: String) -> Int64? { Self.instant(node[name]) }

  static func instant(_ seconds: JSONNode?) -> Int64? { VendorTime.milliseconds(seconds: seconds) }

  // MARK: Persons

  /// The id of the app's own user in the metadata of the object or of what it belongs to.
  func user(_ keys: [String]) -> String? {
    // The object itself has no metadata but `client_reference_id`.
    if let user = node["client_reference_id"]?.text { return user }
    let bags =
      [
        node["metadata"], node["subscription_details"]?["metadata"],
        node["parent"]?["subscription_details"]?["metadata"],
      ]
      + (node["lines"]?["data"]?.elements ?? []).map { $0["metadata"] }
    return bags.lazy.compactMap { BilledUsers.user(in: $0, keys) }.first
  }

  // MARK: Subscriptions

  /// The id of an invoice's subscription.
  var subscription: String? {
    id(of: "subscription") ?? Self.id(node["parent"]?["subscription_details"]?["subscription"])
  }

  /// The price of the first item of a subscription.
  var itemPrice: StripePrice? {
    node["items"]?["data"]?.elements?.first.flatMap { StripePrice($0["price"] ?? $0["plan"]) }
      ?? StripePrice(node["plan"])
  }

  // MARK: Invoices

  struct Line {
    var amount: Int64
    var price: StripePrice?
    var start: Int64?
    var end: Int64?
  }

  var lines: [Line] {
    (node["lines"]?["data"]?.elements ?? []).map { line in
      let details = line["pricing"]?["price_details"]
      var price = StripePrice(line["price"] ?? details?["price"])
      if price?.product == nil { price?.product = Self.id(details?["product"]) }
      return Line(
        amount: line["amount"]?.integer ?? 0, price: price ?? StripePrice(line["plan"]),
        start: Self.instant(line["period"]?["start"]), end: Self.instant(line["period"]?["end"]))
    }
  }

  /// The share of tax in what an invoice asks for; `nil` if it does not say.
  var taxShare: JSONNode? {
    let taxes = (node["total_taxes"] ?? node["total_tax_amounts"])?.elements
    let tax = node["tax"]?.integer ?? taxes.map { $0.compactMap { $0["amount"]?.integer }.reduce(0, +) }
    return BilledAmounts.share(tax, of: node["total"]?.integer)
  }

  /// The decimals in which Stripe does not count as ISO 4217 does: some currencies in cents that have none, and one
  /// without those that it has.
  static let decimals = ["ISK": 2, "UGX": 2, "MGA": 0]
}

/// A price of Stripe: its id alone, or all of it.
struct StripePrice {
  var id: String
  var product: String?
  private let interval: String?
  private let count: Int64
  private let metadata: [JSONNode]

  init?(_ node: JSONNode?) {
    guard let id = node?.text ?? node?["id"]?.text else { return nil }
    self.id = id
    product = node?["product"]?.text ?? node?["product"]?["id"]?.text
    // A plan, which prices replace, has these members itself.
    let recurring = node?["recurring"] ?? node
    interval = recurring?["interval"]?.text
    count = recurring?["interval_count"]?.integer ?? 1
    metadata = [node?["metadata"], node?["product"]?["metadata"]].compactMap { $0 }
  }

  var tier: JSONNode? {
    metadata.lazy.compactMap { $0["tier"]?.text }.first { $0 == "individual" || $0 == "family" }.map { .string($0) }
  }

  /// - Parameter period: Milliseconds that were paid for.
  func plan(_ plans: ProductPlans, period: Int64? = nil) -> Plan? {
    if let given = plans.given(for: product ?? id) ?? plans.given(for: id) { return given }
    if let plan = ProductPlans.plan(every: count, interval) { return plan }
    return plans.plan(of: product ?? id, period: period) ?? plans.plan(of: id)
  }
}
