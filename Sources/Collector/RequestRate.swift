internal import Synchronization

/// A token bucket that allows a number of requests a second, and as many at once after a quiet second.
///
/// Source: RFC 2697's committed rate and burst size, with requests in place of bytes.
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

  /// Returns whether one more request is within the rate, and counts it if so.
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
