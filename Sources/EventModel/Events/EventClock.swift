/// How the clock that dated an event compares with the time of receipt.
public enum EventClock: String, Sendable {
  /// The event's `ts` is at most a day after its `received_at`.
  case timely
  /// Its `ts` is later: the clock runs ahead.
  case early
  /// It has no `received_at`.
  case unmarked

  /// Judges a clock by the rule for one event of definitions 1.1.
  ///
  /// - Parameters:
  ///   - ts: In ms since 1970-01-01T00:00:00Z.
  ///   - receivedAt: In the same unit; `nil` if absent.
  @inlinable @inline(__always)
  public init(ts: Int64, receivedAt: Int64?) {
    if let receivedAt {
      self = ts <= receivedAt + Instant.millisecondsPerDay ? .timely : .early
    } else {
      self = .unmarked
    }
  }
}
