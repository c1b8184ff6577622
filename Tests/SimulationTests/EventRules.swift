import Foundation

/// A strict reading of Events.md: the fields that a line may and must have.
///
/// Independent of the simulator; it knows every field and kind of the format.
struct EventRules {
  private enum Kind {
    case text
    case oneOf(Set<String>)
    case instant
    case amount
    case share
    case number
    case flatObject
  }

  private static let plans: Set<String> = [
    "weekly", "monthly", "two_month", "quarterly", "semiannual", "yearly", "lifetime",
  ]

  private static let fields: [String: Kind] = [
    "event_id": .text, "event": .oneOf(Set(required.keys)), "ts": .instant, "app": .text, "user_id": .text,
    "received_at": .instant, "platform": .oneOf(["ios", "macos", "android", "web"]),
    "store": .oneOf(["app_store", "play_store", "stripe"]), "country": .text, "app_version": .text,
    "environment": .oneOf(["production", "sandbox"]), "properties": .flatObject, "entry_point": .text,
    "experiment": .text, "variant": .text, "paywall": .text, "offering": .text, "price_weekly": .amount,
    "price_monthly": .amount, "price_yearly": .amount, "price_lifetime": .amount,
    "tier": .oneOf(["individual", "family"]), "product_id": .text, "plan": .oneOf(plans), "price": .amount,
    "currency": .text, "price_usd": .amount, "tax_percentage": .share, "commission_percentage": .share,
    "subscription_id": .text,
    "transaction_id": .text, "expires_at": .instant, "ownership": .oneOf(["purchased", "family_shared"]),
    "offer_type": .oneOf(["introductory", "promotional", "offer_code", "win_back"]), "offer_code": .text,
    "limit_name": .text, "limit": .number, "used": .number, "trial_days": .number, "trial_ends_at": .instant,
    "trial_kind": .oneOf(["introductory", "app"]), "previous_product_id": .text, "reason": .text,
    "grace_ends_at": .instant, "subscription_started_at": .instant, "previous_user_id": .text,
  ]

  /// Required fields by kind, besides the common ones.
  static let required: [String: [String]] = [
    "exposure": ["experiment", "variant"], "paywall_impression": ["entry_point"], "paywall_dismissal": [],
    "purchase_started": [], "gate_hit": ["entry_point"], "trial_start": [], "trial_nudge": [],
    "conversion": ["product_id", "plan", "price"], "renewal": ["product_id", "plan", "price"],
    "payment": ["product_id", "plan", "price"], "plan_change": ["product_id", "plan"], "restore": [],
    "offer_redemption": ["offer_code"], "cancellation": [],
    "reactivation": [], "billing_issue": [], "expiration": [], "refund": [], "activity": [],
    "identify": ["previous_user_id"],
  ]

  private static let reasons: Set<String> = ["voluntary", "billing", "price_increase", "product_unavailable", "other"]

  /// Returns the problems of a line; empty if there are none.
  static func faults(of line: Data) -> [String] {
    guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any] else { return ["no object"] }
    var faults: [String] = []
    for (name, value) in object {
      guard let kind = fields[name] else {
        faults.append("unknown field \(name)")
        continue
      }
      if !isValid(value, kind) { faults.append("\(name) is \(value)") }
    }
    let event = object["event"] as? String ?? ""
    for name in ["event_id", "event", "ts", "app", "user_id"] + (required[event] ?? []) where object[name] == nil {
      faults.append("\(event) has no \(name)")
    }
    return faults + crossFaults(of: object, event: event)
  }

  private static func crossFaults(of object: [String: Any], event: String) -> [String] {
    var faults: [String] = []
    func millis(_ name: String) -> Int64? { (object[name] as? String).flatMap(milliseconds) }
    let instant = millis("ts") ?? 0
    for name in ["expires_at", "trial_ends_at", "grace_ends_at"] {
      if let later = millis(name), later <= instant { faults.append("\(name) is not later than ts") }
    }
    if let received = millis("received_at"), received < instant - 1_000 { faults.append("received before it happened") }
    if event == "trial_start" {
      let days = object["trial_days"] as? Int
      if days == nil, object["trial_ends_at"] == nil { faults.append("trial without an end") }
      if let days, !(1...366).contains(days) { faults.append("trial_days is \(days)") }
      if object["plan"] == nil, object["trial_kind"] as? String != "app" { faults.append("trial without a plan") }
    }
    let hasPrice = object.keys.contains { $0 == "price" || $0.hasPrefix("price_") }
    if hasPrice, object["currency"] == nil { faults.append("price without currency") }
    if object["variant"] != nil, object["experiment"] == nil { faults.append("variant without experiment") }
    if ["cancellation", "expiration"].contains(event), let reason = object["reason"] as? String,
      !reasons.contains(reason)
    {
      faults.append("reason is \(reason)")
    }
    return faults
  }

  private static func isValid(_ value: Any, _ kind: Kind) -> Bool {
    switch kind {
    case .text: (value as? String).map { (1...200).contains($0.utf8.count) } ?? false
    case .oneOf(let values): (value as? String).map(values.contains) ?? false
    case .instant: (value as? String).flatMap(milliseconds).map { $0 >= 1_199_145_600_000 } ?? false
    case .amount: amount(value).map { $0 >= 0 && $0 < 1e12 } ?? false
    case .share: amount(value).map { (0...1).contains($0) } ?? false
    case .number: value is NSNumber
    case .flatObject: (value as? [String: Any])?.values.allSatisfy { $0 is String || $0 is NSNumber } ?? false
    }
  }

  private static func amount(_ value: Any) -> Double? {
    if let text = value as? String {
      guard text.wholeMatch(of: /[0-9]+(\.[0-9]{1,6})?/) != nil else { return nil }
      return Double(text)
    }
    return (value as? NSNumber)?.doubleValue
  }

  /// Returns the milliseconds of an RFC 3339 text in UTC, to the millisecond; `nil` for anything else.
  static func milliseconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count == 20 || bytes.count == 24, bytes.last == 0x5a, bytes[10] == 0x54 else { return nil }
    func number(_ range: Range<Int>) -> Int64? { Int64(String(decoding: bytes[range], as: UTF8.self)) }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19), (1...12).contains(month), (1...31).contains(day),
      (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second),
      let fraction = bytes.count == 24 ? number(20..<23) : 0
    else { return nil }
    // Days by Fliegel and Van Flandern (1968), doi:10.1145/364096.364097, because Foundation's calendar is slow here.
    let shift = (month - 14) / 12
    let julian =
      day - 32_075 + 1_461 * (year + 4_800 + shift) / 4 + 367 * (month - 2 - shift * 12) / 12
      - 3 * ((year + 4_900 + shift) / 100) / 4
    return (julian - 2_440_588) * 86_400_000 + hour * 3_600_000 + minute * 60_000 + second * 1_000 + fraction
  }
}
