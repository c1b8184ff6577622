/// Whether a value is there and within an absolute distance of what is expected.
func isClose(_ value: Double?, _ expected: Double, within tolerance: Double) -> Bool {
  guard let value else { return false }
  return value == expected || abs(value - expected) <= tolerance
}
