import Metrics

/// Returns the end of an axis from 0 with room for all rates and bounds: the least of 1, 2, 3, 4, 5, 6, 8 and 10 times a
/// power of ten that is at or above them, at most 1.
func axisEnd(_ shares: [Double?], _ bounds: [ClosedRange<Double>?]) -> (share: Double, text: String) {
  let largest = zip(shares, bounds).reduce(0) { max($0, $1.0 ?? 0, $1.1?.upperBound ?? 0) }
  for (power, decimals) in [(10, 3), (100, 2), (1_000, 1), (10_000, 0), (100_000, 0)] {
    for digit in [1, 2, 3, 4, 5, 6, 8, 10] {
      let share = Double(digit * power) / 1_000_000
      guard share >= largest, share <= 1 else { continue }
      return (share, ReportValue.rate(share).readableNumber(percentDecimals: decimals) ?? "")
    }
  }
  return (1, "100%")
}

/// Returns `├──●──┤` for a rate with bounds, a bar of blocks for a rate alone, and nothing for a rate that is
/// undefined, or negative and therefore off the axis.
func pictureText(_ share: Double?, _ bounds: ClosedRange<Double>?, end: Double, width: Int) -> String {
  guard let share, share >= 0 else { return String(repeating: " ", count: width) }
  if let bounds { return intervalBar(share, bounds, axis: 0...end, width: width) }
  let filled = Int((min(share / end, 1) * Double(width)).rounded())
  return String(repeating: "█", count: filled) + String(repeating: " ", count: width - filled)
}
