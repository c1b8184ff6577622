import ArgumentParser

/// - Throws: `ValidationError` for the value of an option outside its range.
func require<Value: Comparable>(_ option: String, _ value: Value, in range: ClosedRange<Value>) throws {
  if range.contains(value) { return }
  func text(_ bound: Value) -> String { "\(bound)".replacing(#/\.0$/#, with: "") }
  throw ValidationError(
    "\(option) is \(value), but must be from \(text(range.lowerBound)) to \(text(range.upperBound))")
}
