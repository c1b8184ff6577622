internal import Synchronization

/// A token bucket: so many requests a second, and as many at once after a quiet second.
///
/// Source: RFC 2697's committed rate and burst size, of requests instead of bytes.
final class RequestRate: Sendable {
  private struct Bucket {
    var tokens: Double
    var filledAt: ContinuousClock.Instant
  }

  private let perSecond: Double
  private let bucket: Mutex<Bucket>

  init(perSecond: Int) {
    self.perSecond = Double(perSecond)
    bucket = Mutex(Bucket(tokens: Double(perSecond), filledAt: .now))
  }

  /// Whether one more request is within the rate; it counts then.
  func allows(at now: ContinuousClock.Instant = .now) -> Bool {
    bucket.withLock { bucket in
      let seconds = (now - bucket.filledAt) / .seconds(1)
      bucket.tokens = min(perSecond, bucket.tokens + max(0, seconds) * perSecond)
      bucket.filledAt = max(bucket.filledAt, now)
      guard bucket.tokens >= 1 else { return false }
      bucket.tokens -= 1
      return true
    }
  }
}
