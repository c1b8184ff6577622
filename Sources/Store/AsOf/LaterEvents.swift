public import EventModel
public import Lifecycle

/// Events that exist although they are at or after the as-of of facts.
public struct LaterEvents: Hashable, Sendable {
  /// A bit for each kind's raw value.
  let kinds: UInt64
  /// The instant by app up to which they exist, in ms.
  let ends: [NameID: Int64]

  public init(_ kinds: Set<EventKind>, before ends: [NameID: Int64]) {
    self.kinds = kinds.reduce(0) { $0 | 1 << UInt64($1.rawValue) }
    self.ends = ends
  }

  /// Returns whether events of a kind are among them.
  @inline(__always)
  func has(_ kind: UInt64) -> Bool { kinds >> kind & 1 != 0 }
}
