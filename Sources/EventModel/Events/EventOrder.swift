/// The order in which a user's events are processed.
public enum EventOrder {
  /// An event's `ts` in ms since 1970-01-01T00:00:00Z, and its kind.
  public typealias Key = (ts: Int64, kind: EventKind)

  /// Returns whether an event comes before another of its user; implements definitions 1.2.
  ///
  /// - Returns: `nil` for two events of one kind at one instant: their ids order them, as bytes.
  @inlinable @inline(__always)
  public static func precedes(_ left: Key, _ right: Key) -> Bool? {
    if left.ts != right.ts { return left.ts < right.ts }
    let (first, second) = (left.kind.order, right.kind.order)
    return first == second ? nil : first < second
  }
}
