/// The time until the last user that a test needs can be analysed.
public struct TestDuration: Hashable, Sendable {
  /// Whole days of arrivals.
  public var recruitingDays: Double
  /// Whole days until the last user's outcome is known: trial length and grace, or the metric's horizon.
  public var maturingDays: Double

  public init(recruitingDays: Double, maturingDays: Double) {
    (self.recruitingDays, self.maturingDays) = (recruitingDays, maturingDays)
  }

  public var totalDays: Double { recruitingDays + maturingDays }
}

/// Returns the duration of a test.
///
/// - Parameters:
///   - users: Users still needed, in all arms together.
///   - usersPerDay: Users who enter the test per day.
///   - maturity: Days from entry to outcome.
/// - Returns: `nil` without traffic, as the test never ends.
public func testDuration(users: Double, usersPerDay: Double, maturity: Double) -> TestDuration? {
  guard users > 0 else { return TestDuration(recruitingDays: 0, maturingDays: 0) }
  guard usersPerDay > 0 else { return nil }
  return TestDuration(
    recruitingDays: (users / usersPerDay).rounded(.up), maturingDays: maturity.rounded(.up))
}
