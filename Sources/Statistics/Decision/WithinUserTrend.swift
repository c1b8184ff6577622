/// A test of whether a difference fades or grows with the days since the exposure (Decisions.md D8.6).
///
/// Of each user the outcome of a late week less that of an early one; of these contrasts Welch's test. What both weeks of a
/// user have in common is out of it.
public struct WithinUserTrend: Hashable, Sendable {
  /// Change of the difference a week, in the metric's unit.
  public var slope: Double
  public var standardError: Double
  public var degrees: Double
  /// Two-sided; one test alone.
  public var p: Double

  /// - Parameters:
  ///   - treatment: Each user's late week less the early one; those of control likewise.
  ///   - weeks: From the early week to the late one, above 0.
  /// - Returns: `nil` where an arm has fewer than two users, or nothing varies.
  public init?(treatment: Moments, control: Moments, weeks: Double) {
    guard let one = MeanArm(treatment), let other = MeanArm(control), let test = welchTest(one, other) else {
      return nil
    }
    (slope, standardError) = (test.difference / weeks, test.standardError / weeks)
    (degrees, p) = (test.degrees, test.twoSidedP)
  }
}
