internal import Basics

/// The fields of an event that are in its canonical JSON, generic over the text type.
package protocol EventContent {
  associatedtype Text: JSONQuotable
  associatedtype JSON: Sequence<UInt8>

  var kind: EventKind { get }
  var eventID: Text { get }
  var ts: Instant { get }
  var app: Text { get }
  var userID: Text { get }
  var platform: Text? { get }
  var store: Text? { get }
  var country: Text? { get }
  var appVersion: Text? { get }
  var isSandbox: Bool { get }
  /// A JSON object; `nil` if there are no properties.
  var propertiesJSON: JSON? { get }
  var entryPoint: Text? { get }
  var experiment: Text? { get }
  var variant: Text? { get }
  var paywall: Text? { get }
  var offering: Text? { get }
  var priceWeekly: Int64? { get }
  var priceMonthly: Int64? { get }
  var priceYearly: Int64? { get }
  var priceLifetime: Int64? { get }
  var isFamilyTier: Bool { get }
  var productID: Text? { get }
  var plan: Plan? { get }
  var price: Int64? { get }
  var currency: Text? { get }
  var priceUSD: Int64? { get }
  var taxPercentage: Double? { get }
  var commissionPercentage: Double? { get }
  var subscriptionID: Text? { get }
  var subscriptionStartedAt: Instant? { get }
  var transactionID: Text? { get }
  var expiresAt: Instant? { get }
  var isFamilyShared: Bool { get }
  var offerType: Text? { get }
  var offerCode: Text? { get }
  var limitName: Text? { get }
  var limit: Double? { get }
  var used: Double? { get }
  var trialDays: Int64? { get }
  var trialEndsAt: Instant? { get }
  var trialKind: Text? { get }
  var previousProductID: Text? { get }
  var reason: Text? { get }
  var graceEndsAt: Instant? { get }
  var previousUserID: Text? { get }
}

/// The content of an event whose client, context and terms have numbers for their names.
package protocol CodedContent: EventContent {
  var client: ClientNames { get }
  var context: ContextNames { get }
  var terms: TermsNames { get }

  /// Returns the name of a number; `nil` for 0.
  func name(_ number: UInt32) -> Text?
}

extension CodedContent {
  @inlinable package var platform: Text? { name(client.platform) }
  @inlinable package var store: Text? { name(client.store) }
  @inlinable package var country: Text? { name(client.country) }
  @inlinable package var appVersion: Text? { name(client.appVersion) }
  @inlinable package var isSandbox: Bool { client.isSandbox }
  @inlinable package var entryPoint: Text? { name(context.entryPoint) }
  @inlinable package var experiment: Text? { name(context.experiment) }
  @inlinable package var variant: Text? { name(context.variant) }
  @inlinable package var paywall: Text? { name(context.paywall) }
  @inlinable package var offering: Text? { name(terms.offering) }
  @inlinable package var priceWeekly: Int64? { terms.priceWeekly }
  @inlinable package var priceMonthly: Int64? { terms.priceMonthly }
  @inlinable package var priceYearly: Int64? { terms.priceYearly }
  @inlinable package var priceLifetime: Int64? { terms.priceLifetime }
  @inlinable package var isFamilyTier: Bool { terms.isFamilyTier }
  @inlinable package var productID: Text? { name(terms.product) }
  @inlinable package var plan: Plan? { terms.plan }
  @inlinable package var price: Int64? { terms.price }
  @inlinable package var currency: Text? { name(terms.currency) }
  @inlinable package var priceUSD: Int64? { terms.priceUSD }
  @inlinable package var taxPercentage: Double? { terms.taxPercentage }
  @inlinable package var commissionPercentage: Double? { terms.commissionPercentage }
  @inlinable package var isFamilyShared: Bool { terms.isFamilyShared }
  @inlinable package var offerType: Text? { name(terms.offerType) }
  @inlinable package var offerCode: Text? { name(terms.offerCode) }
  @inlinable package var limitName: Text? { name(terms.limitName) }
  @inlinable package var limit: Double? { terms.limit }
  @inlinable package var used: Double? { terms.used }
  @inlinable package var trialDays: Int64? { terms.trialDays }
  @inlinable package var trialKind: Text? { name(terms.trialKind) }
  @inlinable package var previousProductID: Text? { name(terms.previousProduct) }
  @inlinable package var reason: Text? { name(terms.reason) }
}

/// A text that can be written as a JSON string.
package protocol JSONQuotable {
  func appendQuoted(to json: inout [UInt8])
}

extension String: JSONQuotable {
  package func appendQuoted(to json: inout [UInt8]) { JSONText.append(quoted: self, to: &json) }
}

extension UnsafeRawBufferPointer: JSONQuotable {
  package func appendQuoted(to json: inout [UInt8]) { JSONText.append(quoted: self, to: &json) }
}

extension EventContent {
  /// Appends the content as ``RecordContents/appendCanonicalJSON(of:to:)`` describes it.
  package func appendCanonicalJSON(to json: inout [UInt8]) {
    var object = CanonicalObject()
    // Swaps the caller's array in rather than copying it.
    swap(&object.text, &json)
    object.add("app", app)
    object.add("app_version", appVersion)
    object.add("commission_percentage", commissionPercentage)
    object.add("country", country)
    object.add("currency", currency)
    object.add("entry_point", entryPoint)
    object.add("environment", isSandbox ? "sandbox" : "production")
    object.add("event", kind.name)
    object.add("event_id", eventID)
    object.add("experiment", experiment)
    object.add("expires_at", expiresAt)
    object.add("grace_ends_at", graceEndsAt)
    object.add("limit", limit)
    object.add("limit_name", limitName)
    object.add("offer_code", offerCode)
    object.add("offer_type", offerType)
    object.add("offering", offering)
    object.add("ownership", isFamilyShared ? "family_shared" : "purchased")
    object.add("paywall", paywall)
    object.add("plan", plan?.name)
    object.add("platform", platform)
    object.add("previous_product_id", previousProductID)
    object.add("previous_user_id", previousUserID)
    object.addPrice("price", price)
    object.addPrice("price_lifetime", priceLifetime)
    object.addPrice("price_monthly", priceMonthly)
    object.addPrice("price_usd", priceUSD)
    object.addPrice("price_weekly", priceWeekly)
    object.addPrice("price_yearly", priceYearly)
    object.add("product_id", productID)
    object.add("properties", json: propertiesJSON)
    object.add("reason", reason)
    object.add("store", store)
    object.add("subscription_id", subscriptionID)
    object.add("subscription_started_at", subscriptionStartedAt)
    object.add("tax_percentage", taxPercentage)
    object.add("tier", isFamilyTier ? "family" : "individual")
    object.add("transaction_id", transactionID)
    object.add("trial_days", trialDays)
    object.add("trial_ends_at", trialEndsAt)
    object.add("trial_kind", trialKind)
    object.add("ts", ts)
    object.add("used", used)
    object.add("user_id", userID)
    object.add("variant", variant)
    object.close()
    swap(&object.text, &json)
  }
}

/// Appends a JSON object to a text; members must come in byte order of their names, at least one.
private struct CanonicalObject {
  var text: [UInt8] = []
  /// The byte before the next member: `{` or `,`.
  private var separator = UInt8(ascii: "{")

  init() {}

  mutating func close() { text.append(UInt8(ascii: "}")) }

  mutating func add(_ name: StaticString, _ value: (some JSONQuotable)?) {
    guard let value else { return }
    begin(name)
    value.appendQuoted(to: &text)
  }

  mutating func add(_ name: StaticString, _ value: Int64?) {
    guard let value else { return }
    begin(name)
    DecimalDigits.append(value, to: &text)
  }

  /// Appends micro-units as a decimal number without trailing zeros.
  mutating func addPrice(_ name: StaticString, _ value: Int64?) {
    guard let value else { return }
    begin(name)
    DecimalDigits.append(value / 1_000_000, to: &text)
    var fraction = value % 1_000_000
    if fraction <= 0 { return }
    text.append(UInt8(ascii: "."))
    var place: Int64 = 100_000
    while fraction > 0 {
      text.append(UInt8(ascii: "0") + UInt8(fraction / place))
      fraction %= place
      place /= 10
    }
  }

  mutating func add(_ name: StaticString, _ value: Double?) {
    guard let value else { return }
    begin(name)
    JSONText.append(value, to: &text)
  }

  mutating func add(_ name: StaticString, _ value: Instant?) {
    add(name, value?.millisecondsSince1970)
  }

  mutating func add(_ name: StaticString, json value: (some Sequence<UInt8>)?) {
    guard let value else { return }
    begin(name)
    text.append(contentsOf: value)
  }

  private mutating func begin(_ name: StaticString) {
    let count = name.utf8CodeUnitCount
    // Appends the key in one piece: an array checks its capacity at each append.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + 4) { key in
      key[0] = separator
      key[1] = UInt8(ascii: "\"")
      for place in 0..<count { key[place + 2] = name.utf8Start[place] }
      key[count + 2] = UInt8(ascii: "\"")
      key[count + 3] = UInt8(ascii: ":")
      text.append(contentsOf: UnsafeBufferPointer(key))
    }
    separator = UInt8(ascii: ",")
  }
}
