import Foundation

/// Six digits that count, as C's `printf` writes `%.6g`: `0.00155416`, `1.02345e-75`.
///
/// A p of 10⁻²⁰ with six decimals would read 0.
///
/// - Returns: `nil` for infinities and NaN.
func sixDigitText(_ value: Double) -> String? {
  value.isFinite ? String(format: "%.6g", value) : nil
}

/// As people read a p-value or a chance: four decimals, `<0.0001` below them, also where it is too small for a double,
/// and `>0.9999` above.
///
/// - Returns: `nil` for infinities and NaN.
func readableProbability(_ value: Double) -> String? {
  guard value.isFinite else { return nil }
  if value < 0.0001 { return "<0.0001" }
  if value < 1, value > 0.9999 { return ">0.9999" }
  return scaledHalfToEven(value, decimals: 4).map { fixedPointText($0, decimals: 4) }
}
