/// Returns whether a value exists and is within an absolute distance of the expected one.
func isClose(_ value: Double?, _ expected: Double, within tolerance: Double) -> Bool {
  guard let value else { return false }
  return value == expected || abs(value - expected) <= tolerance
}
