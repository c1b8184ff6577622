import Foundation

/// 2026-03-01T00:00:00Z, which is day 0 of the hand-written events.
let dayZero: Int64 = 1_772_323_200_000

/// Returns an instant in ms since 1970.
///
/// - Parameter days: Days since 2026-03-01T00:00:00Z; `plus` adds milliseconds.
func at(_ days: Double, plus milliseconds: Int64 = 0) -> Int64 {
  dayZero + Int64((days * 86_400_000).rounded()) + milliseconds
}

/// Returns a line of a native NDJSON file, without its line end: the required fields and `fields`, with sorted keys.
func eventLine(
  _ kind: String, _ id: String, _ ts: Int64, user: String, app: String = "demo", received: Int64? = nil,
  _ fields: [String: Any] = [:]
) -> String {
  var object = fields
  object["event"] = kind
  object["event_id"] = id
  object["ts"] = ts
  object["user_id"] = user
  object["app"] = app
  object["received_at"] = received
  let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
  guard let data = try? JSONSerialization.data(withJSONObject: object, options: options) else {
    preconditionFailure("an event line is JSON: \(object)")
  }
  return String(decoding: data, as: UTF8.self)
}

/// Returns the line of a paywall impression.
func impression(
  _ id: String, _ ts: Int64, user: String, app: String = "demo", received: Int64? = nil, _ fields: [String: Any] = [:]
) -> String {
  eventLine(
    "paywall_impression", id, ts, user: user, app: app, received: received,
    fields.merging(["entry_point": "settings"]) { own, _ in own })
}

/// Returns an instant of a line, parsed by Foundation; `nil` if the field is absent.
func instant(ofLine line: [UInt8], _ field: String) -> Int64? {
  guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] else { return nil }
  if let number = object[field] as? NSNumber { return number.int64Value }
  guard let text = object[field] as? String else { return nil }
  let seconds = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
  let fraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  guard let date = (try? seconds.parse(text)) ?? (try? fraction.parse(text)) else { return nil }
  return Int64((date.timeIntervalSince1970 * 1_000).rounded())
}
