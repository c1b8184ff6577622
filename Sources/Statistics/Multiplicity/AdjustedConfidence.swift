/// Returns the confidence of each of m intervals that hold together with `confidence`: 1 − α/m.
public func simultaneousConfidence(_ confidence: Double, family m: Int) -> Double {
  precondition(m >= 1, "m is \(m), but must be at least 1")
  return 1 - (1 - confidence) / Double(m)
}

/// Returns the confidence of the intervals of R results selected by Benjamini & Hochberg out of m: 1 − Rα/m, so that
/// the expected share of shown intervals that miss is α.
///
/// - Returns: `nil` if nothing was selected, so there is no interval to show.
///
/// Source: Benjamini & Yekutieli (2005), doi:10.1198/016214504000001907.
public func selectedConfidence(_ confidence: Double, selected: Int, family m: Int) -> Double? {
  precondition(m >= 1 && selected <= m, "selected is \(selected), but must be at most \(m)")
  return selected == 0 ? nil : 1 - Double(selected) * (1 - confidence) / Double(m)
}
