internal import EventModel

/// The events of a store before more came: those before an instant, and all of some kinds.
struct KnownEvents: Equatable, Sendable {
  /// The instants by app, in milliseconds since 1970.
  var ends: [String: Int64]
  var laterKinds: Set<EventKind>
}
