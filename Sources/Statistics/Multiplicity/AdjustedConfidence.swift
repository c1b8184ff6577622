/// Returns the confidence of each of m intervals that hold together with `confidence`: 1 − α/m.
public func simultaneousConfidence(_ confidence: Double, family m: Int) -> Double {
  precondition(m >= 1, "m is \(m), but must be at least 1")
  return 1 - (1 - confidence) / Double(m)
}
