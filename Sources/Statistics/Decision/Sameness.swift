/// Returns whether a treatment is the same as control: its whole interval is strictly inside (−margin, +margin).
///
/// Equivalent to two one-sided tests on one interval. For a lift, the interval includes the control's own error,
/// because (1 ± m)·m₀ is not known; for a difference, the margin is in the metric's unit.
///
/// - Parameters:
///   - interval: The interval of the lift or difference; `nil`, if it cannot be estimated, is never the same.
///   - margin: Above 0.
///
/// Source: Schuirmann (1987), doi:10.1007/BF01068419; implements D2.5.
public func isSame(_ interval: Interval?, margin: Double) -> Bool {
  guard let interval else { return false }
  return interval.low > -margin && interval.high < margin
}
