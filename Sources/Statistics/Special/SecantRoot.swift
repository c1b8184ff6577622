/// Returns where a function is 0, by the secant method.
///
/// - Parameter within: Returns the place of a step that may go too far.
func secantRoot(
  from first: Double, _ second: Double, tolerance: Double = 1e-12, rounds: Int = 30,
  within: (Double) -> Double = { $0 }, of function: (Double) -> Double
) -> Double {
  var (before, now) = (first, second)
  var (valueBefore, value) = (function(before), function(now))
  for _ in 0..<rounds where abs(value) > tolerance && value != valueBefore {
    let next = within(now - value * (now - before) / (value - valueBefore))
    (before, valueBefore) = (now, value)
    (now, value) = (next, function(next))
  }
  return now
}
