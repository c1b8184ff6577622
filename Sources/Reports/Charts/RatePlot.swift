import Metrics

/// Returns text plots of a table's rates with bounds, or of all rates if none has bounds: one section per rate, on an
/// axis from 0. Rates without any value are omitted.
func plots(_ table: ReadableTable, keys: [TableColumn], width: Int, _ style: TerminalStyle) -> [[String]] {
  let rates = table.groups.joined().filter { rate in rate.kind == .rate && rate.shares.contains { $0 != nil } }
  let bounded = rates.filter(\.hasBounds)
  return (bounded.isEmpty ? rates : bounded).map { plotLines($0, keys: keys, width: width, style) }
}

private func plotLines(
  _ rate: ReadableTable.Column, keys: [TableColumn], width: Int, _ style: TerminalStyle
) -> [String] {
  let labels = rate.cells.indices.map { row in
    keys.map { padded(truncated($0.column.cells[row].text ?? "", to: $0.width), to: $0.width, isLeftAligned: true) }
      .joined(separator: columnGap)
  }
  let labelWidth = labels.map(displayWidth).max() ?? 0
  let valueWidth = rate.cells.map { displayWidth($0.text ?? undefinedMark) }.max() ?? 0
  let barWidth = max(10, width - labelWidth - valueWidth - 2 * columnGap.count)
  let end = rate.axisEnd

  let margin = String(repeating: " ", count: labelWidth) + columnGap
  let axis = "0%" + padded(end.text, to: barWidth - 2, isLeftAligned: false)
  let rows = rate.cells.indices.map { row in
    let bar = barText(rate.shares[row], rate.bounds[row], end: end.share, width: barWidth)
    let value = padded(rate.cells[row].text ?? undefinedMark, to: valueWidth, isLeftAligned: false)
    return [labels[row], bar, value].joined(separator: columnGap)
  }
  return [style.bold(rate.name), margin + style.dim(axis)] + rows
}

extension ReadableTable.Column {
  /// The end of an axis from 0 with room for all rates and bounds: the least of 1, 2, 3, 4, 5, 6, 8 and 10 times a
  /// power of ten that is at or above them, at most 1.
  var axisEnd: (share: Double, text: String) {
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
}

/// Returns `├──●──┤` for a rate with bounds, a bar of blocks for a rate alone, and nothing for a rate that is
/// undefined, or negative and therefore off the axis.
private func barText(_ share: Double?, _ bounds: ClosedRange<Double>?, end: Double, width: Int) -> String {
  guard let share, share >= 0 else { return String(repeating: " ", count: width) }
  if let bounds { return intervalBar(share, bounds, axis: 0...end, width: width) }
  let filled = Int((min(share / end, 1) * Double(width)).rounded())
  return String(repeating: "█", count: filled) + String(repeating: " ", count: width - filled)
}
