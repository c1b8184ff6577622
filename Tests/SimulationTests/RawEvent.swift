import Foundation

@testable import Simulation

/// The fields of a line that the counting tests need.
struct RawEvent: Sendable {
  static let day: Int64 = 86_400_000

  var kind: String
  var instant: Int64
  var app: String
  var user: String
  var entryPoint: String?
  var variant: String?
  var plan: String?
  var price: String?
  var subscription: String?
  var expires: Int64?
  var trialEnd: Int64?
  var isAppTrial: Bool
  var previousUser: String?
  var isLeftOut: Bool

  init?(line: Data) {
    guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
      let kind = object["event"] as? String, let app = object["app"] as? String,
      let user = object["user_id"] as? String,
      let instant = (object["ts"] as? String).flatMap(EventRules.milliseconds)
    else { return nil }
    self.kind = kind
    self.app = app
    self.user = user
    self.instant = instant
    entryPoint = object["entry_point"] as? String
    variant = object["variant"] as? String
    plan = object["plan"] as? String
    price = object["price"] as? String
    subscription = object["subscription_id"] as? String
    expires = (object["expires_at"] as? String).flatMap(EventRules.milliseconds)
    trialEnd =
      (object["trial_ends_at"] as? String).flatMap(EventRules.milliseconds)
      ?? (object["trial_days"] as? Int).map { instant + Int64($0) * Self.day }
    isAppTrial = object["trial_kind"] as? String == "app"
    previousUser = object["previous_user_id"] as? String
    isLeftOut = object["environment"] as? String == "sandbox" || object["ownership"] as? String == "family_shared"
  }

  /// Returns the sample's events that count (definitions 1.5) by user, with ids joined, each in time order.
  static func byPerson(_ options: SampleOptions) throws -> [[RawEvent]] {
    let sample = try Sample(options)
    let block = sample.block(of: 0..<sample.persons)
    var events: [RawEvent] = []
    var start = 0
    for line in block.lines {
      if let event = RawEvent(line: Data(block.bytes[start..<line.end])), !event.isLeftOut { events.append(event) }
      start = line.end
    }
    var joined: [String: String] = [:]
    for event in events {
      if let previous = event.previousUser { joined["\(event.app) \(previous)"] = event.user }
    }
    let persons = Dictionary(grouping: events) { "\($0.app) \(joined["\($0.app) \($0.user)"] ?? $0.user)" }
    return persons.keys.sorted().compactMap { persons[$0]?.sorted { $0.instant < $1.instant } }
  }
}
