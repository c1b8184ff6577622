/// Returns whether a treatment is the same as control: its whole interval lies strictly inside (−margin, +margin).
///
/// Two one-sided tests on one interval. Of a lift, the control's own error is in the interval, as (1 ± m)·m₀ is never
/// taken as known; of a difference, the margin is in the metric's unit.
///
/// - Parameters:
///   - interval: Of the lift, or of the difference; `nil`, where it cannot be estimated, is never the same.
///   - margin: Above 0.
///
/// Source: Schuirmann (1987), doi:10.1007/BF01068419; decisions.md D2.5.
public func isSame(_ interval: Interval?, margin: Double) -> Bool {
  guard let interval else { return false }
  return interval.low > -margin && interval.high < margin
}
