internal import EventModel
internal import Store

/// When users turned auto-renew off and on again, whatever the subscription.
struct RenewalSwitches {
  /// The events that ``add(_:)`` takes.
  static let kinds: [EventKind] = [.cancellation, .reactivation]

  private var switches: [Int32: [(ts: Int64, isOn: Bool)]] = [:]

  mutating func add(_ event: ScannedEvent) {
    switches[event.person, default: []].append((event.ts, event.kind == .reactivation))
  }

  /// Returns a user's switches from an instant on, in order: at one instant, off comes first.
  func switches(of person: Int32, from start: Int64) -> [(ts: Int64, isOn: Bool)] {
    (switches[person] ?? []).filter { $0.ts >= start }.sorted { ($0.ts, $0.isOn ? 1 : 0) < ($1.ts, $1.isOn ? 1 : 0) }
  }
}
