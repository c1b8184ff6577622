extension Event {
  /// The content of the event, as it is compared with that of another one with the same `app` and `event_id`.
  ///
  /// All fields but `received_at`, as JSON in UTF-8 with sorted keys and no spaces. Instants are integer milliseconds,
  /// prices decimal numbers, properties an object of texts, so that it is a line of a native file again; absent fields are left out. Every default is
  /// written out (`environment`, `ownership` and `tier` of all events, `trial_kind` of `trial_start`, `reason` of
  /// `cancellation`), so that an explicit default and an absent field are the same content.
  ///
  /// Order and equality are those of the bytes; Swift's `<` and `==` on strings are not.
  public var canonicalJSONBytes: [UInt8] {
    var object = CanonicalObject()
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
    object.addPrice("price_weekly", priceWeekly)
    object.addPrice("price_yearly", priceYearly)
    object.add("product_id", productID)
    object.add("properties", properties)
    object.add("reason", reason)
    object.add("store", store)
    object.add("subscription_id", subscriptionID)
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
    return object.finished
  }

  /// ``canonicalJSONBytes`` as a string.
  public func canonicalJSON() -> String {
    String(decoding: canonicalJSONBytes, as: UTF8.self)
  }
}

/// Collects members that come in byte order of their names.
private struct CanonicalObject {
  private var text: [UInt8] = [UInt8(ascii: "{")]

  var finished: [UInt8] { text + [UInt8(ascii: "}")] }

  mutating func add(_ name: String, _ value: String?) {
    guard let value else { return }
    begin(name)
    JSONText.append(quoted: value, to: &text)
  }

  mutating func add(_ name: String, _ value: Int64?) {
    guard let value else { return }
    begin(name)
    text.append(contentsOf: String(value).utf8)
  }

  /// Micro-units as a decimal number without trailing zeros.
  mutating func addPrice(_ name: String, _ value: Int64?) {
    guard let value else { return }
    begin(name)
    text.append(contentsOf: String(value / Money.microUnitsPerUnit).utf8)
    var fraction = String(value % Money.microUnitsPerUnit + Money.microUnitsPerUnit).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    if !fraction.isEmpty { text.append(contentsOf: ".\(fraction)".utf8) }
  }

  mutating func add(_ name: String, _ value: Double?) {
    guard let value else { return }
    begin(name)
    JSONText.append(value, to: &text)
  }

  mutating func add(_ name: String, _ value: Instant?) {
    add(name, value?.millisecondsSince1970)
  }

  mutating func add(_ name: String, _ value: EventProperties) {
    guard !value.json.isEmpty else { return }
    begin(name)
    text.append(contentsOf: value.json)
  }

  private mutating func begin(_ name: String) {
    if text.count > 1 { text.append(UInt8(ascii: ",")) }
    JSONText.append(quoted: name, to: &text)
    text.append(UInt8(ascii: ":"))
  }
}
