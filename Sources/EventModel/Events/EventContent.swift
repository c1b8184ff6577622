internal import Basics

/// The fields of an event that are in its canonical JSON, generic over the text type; names have numbers.
package protocol EventContent {
  associatedtype Text: JSONQuotable
  associatedtype JSON: Sequence<UInt8>

  var kind: EventKind { get }
  var eventID: Text { get }
  var ts: Instant { get }
  var app: Text { get }
  var userID: Text { get }
  var client: ClientNames { get }
  var context: ContextNames { get }
  var terms: TermsNames { get }
  /// A JSON object; `nil` if there are no properties.
  var propertiesJSON: JSON? { get }
  var subscriptionID: Text? { get }
  var subscriptionStartedAt: Instant? { get }
  var transactionID: Text? { get }
  var expiresAt: Instant? { get }
  var trialEndsAt: Instant? { get }
  var graceEndsAt: Instant? { get }
  var previousUserID: Text? { get }

  /// Returns the name of a number; `nil` for 0.
  func name(_ number: UInt32) -> Text?
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
    let (client, context, terms) = (client, context, terms)
    var object = CanonicalObject()
    // Swaps the caller's array in rather than copying it.
    swap(&object.text, &json)
    object.add("app", app)
    object.add("app_version", name(client.appVersion))
    object.add("commission_percentage", terms.commissionPercentage)
    object.add("country", name(client.country))
    object.add("currency", name(terms.currency))
    object.add("entry_point", name(context.entryPoint))
    object.add("environment", client.isSandbox ? "sandbox" : "production")
    object.add("event", kind.name)
    object.add("event_id", eventID)
    object.add("experiment", name(context.experiment))
    object.add("expires_at", expiresAt)
    object.add("grace_ends_at", graceEndsAt)
    object.add("limit", terms.limit)
    object.add("limit_name", name(terms.limitName))
    object.add("offer_code", name(terms.offerCode))
    object.add("offer_type", name(terms.offerType))
    object.add("offering", name(terms.offering))
    object.add("ownership", terms.isFamilyShared ? "family_shared" : "purchased")
    object.add("paywall", name(context.paywall))
    object.add("plan", terms.plan?.name)
    object.add("platform", name(client.platform))
    object.add("previous_product_id", name(terms.previousProduct))
    object.add("previous_user_id", previousUserID)
    object.addPrice("price", terms.price)
    object.addPrice("price_lifetime", terms.priceLifetime)
    object.addPrice("price_monthly", terms.priceMonthly)
    object.addPrice("price_usd", terms.priceUSD)
    object.addPrice("price_weekly", terms.priceWeekly)
    object.addPrice("price_yearly", terms.priceYearly)
    object.add("product_id", name(terms.product))
    object.add("properties", json: propertiesJSON)
    object.add("reason", name(terms.reason))
    object.add("store", name(client.store))
    object.add("subscription_id", subscriptionID)
    object.add("subscription_started_at", subscriptionStartedAt)
    object.add("tax_percentage", terms.taxPercentage)
    object.add("tier", terms.isFamilyTier ? "family" : "individual")
    object.add("transaction_id", transactionID)
    object.add("trial_days", terms.trialDays)
    object.add("trial_ends_at", trialEndsAt)
    object.add("trial_kind", name(terms.trialKind))
    object.add("ts", ts)
    object.add("used", terms.used)
    object.add("user_id", userID)
    object.add("variant", name(context.variant))
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
