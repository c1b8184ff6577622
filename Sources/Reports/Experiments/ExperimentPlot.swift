import Metrics
import Statistics

/// Returns text plots of a readout: each metric's values by variant, the differences of compared metrics and, with
/// `--over-time`, the differences of each day, all with intervals.
func experimentPlots(_ readout: ExperimentReadout, width: Int, _ style: TerminalStyle) -> [[String]] {
  var plots = readout.metrics.flatMap { metric in
    [valuePlot(readout, metric), differencePlot(readout, metric)].compactMap(\.self)
  }
  if let plot = overTimePlot(readout) { plots.append(plot) }
  return plots.map { $0.lines(width: width, style) }
}

/// Rows on one axis.
private struct ExperimentPlot {
  struct Row {
    var label: String
    var value: Double
    var bounds: ClosedRange<Double>?
    var text: String
  }

  var title: String
  var rows: [Row]
  /// Whether the axis marks 0 inside its range instead of starting there.
  var isSigned: Bool
  var axisText: (Double) -> String?

  /// - Returns: `nil` if there is nothing to show.
  init?(title: String, rows: [Row], isSigned: Bool, axisText: @escaping (Double) -> String?) {
    if rows.isEmpty { return nil }
    (self.title, self.rows, self.isSigned, self.axisText) = (title, rows, isSigned, axisText)
  }

  private var axis: ClosedRange<Double> {
    let ends = rows.flatMap { [$0.value, $0.bounds?.lowerBound ?? $0.value, $0.bounds?.upperBound ?? $0.value] }
    let (least, most) = (min(0, ends.min() ?? 0), max(0, ends.max() ?? 0))
    return least < most ? least...most : 0...1
  }

  func lines(width: Int, _ style: TerminalStyle) -> [String] {
    let axis = axis
    let labelWidth = min(rows.map { displayWidth($0.label) }.max() ?? 0, width / 3)
    let textWidth = rows.map { displayWidth($0.text) }.max() ?? 0
    let barWidth = max(10, width - labelWidth - textWidth - 2 * columnGap.count)
    let (left, right) = (axisText(axis.lowerBound) ?? "", axisText(axis.upperBound) ?? "")
    let gap = max(1, barWidth - displayWidth(left) - displayWidth(right))
    let margin = String(repeating: " ", count: labelWidth) + columnGap
    let scale = margin + style.dim(left + String(repeating: " ", count: gap) + right)
    return [style.bold(title), scale]
      + rows.map { row in
        [
          padded(truncated(row.label, to: labelWidth), to: labelWidth, isLeftAligned: true),
          intervalBar(row.value, row.bounds, axis: axis, width: barWidth, hasZero: isSigned),
          padded(row.text, to: textWidth, isLeftAligned: false),
        ].joined(separator: columnGap)
      }
  }
}

private func valuePlot(_ readout: ExperimentReadout, _ metric: MetricReadout) -> ExperimentPlot? {
  let text = MetricText(metric)
  let rows = zip(readout.arms, metric.arms).compactMap { arm, result -> ExperimentPlot.Row? in
    guard let estimate = result.estimate, estimate.isFinite else { return nil }
    return ExperimentPlot.Row(
      label: visible(arm.variant), value: estimate, bounds: finiteRange(result.interval),
      text: text.value(estimate) ?? undefinedMark)
  }
  let isNegative = rows.contains { $0.value < 0 || ($0.bounds?.lowerBound ?? 0) < 0 }
  return ExperimentPlot(title: metric.metric.readerName, rows: rows, isSigned: isNegative) { text.value($0) }
}

private func differencePlot(_ readout: ExperimentReadout, _ metric: MetricReadout) -> ExperimentPlot? {
  let text = MetricText(metric)
  let rows = zip(readout.treatments, metric.comparisons).compactMap { variant, comparison -> ExperimentPlot.Row? in
    guard let difference = comparison.decisionDifference, difference.isFinite else { return nil }
    return ExperimentPlot.Row(
      label: visible(variant), value: difference,
      bounds: finiteRange(comparison.sequential.interval) ?? finiteRange(comparison.interval),
      text: text.difference(difference) ?? undefinedMark)
  }
  let isAlwaysValid = metric.comparisons.contains { finiteRange($0.sequential.interval) != nil }
  return ExperimentPlot(
    title: "\(metric.metric.readerName), difference (\(isAlwaysValid ? "always valid" : "one look"))", rows: rows,
    isSigned: true
  ) { text.difference($0) }
}

private func overTimePlot(_ readout: ExperimentReadout) -> ExperimentPlot? {
  guard let primary = readout.primary else { return nil }
  let text = MetricText(primary)
  let rows = readout.overTime.flatMap { point in
    point.comparisons.compactMap { comparison -> ExperimentPlot.Row? in
      guard comparison.difference.isFinite else { return nil }
      let day = String(instantText(point.instant).prefix(10))
      return ExperimentPlot.Row(
        label: readout.treatments.count > 1 ? "\(day) \(visible(comparison.variant))" : day,
        value: comparison.difference, bounds: finiteRange(comparison.sequential.interval),
        text: text.difference(comparison.difference) ?? undefinedMark)
    }
  }
  return ExperimentPlot(
    title: "\(primary.metric.readerName), difference by day of data (always valid)", rows: rows, isSigned: true
  ) { text.difference($0) }
}
