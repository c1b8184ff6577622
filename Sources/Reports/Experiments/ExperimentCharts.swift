public import Metrics
import Statistics

/// Returns the charts of a readout: the differences of its metrics with their intervals, separately for shares and each
/// currency. If requested, also the primary's difference by day of data with the always-valid interval.
public func charts(of readout: ExperimentReadout) -> [Chart] {
  var units: [ExperimentMetric.Unit] = []
  for metric in readout.metrics where !units.contains(metric.metric.unit) { units.append(metric.metric.unit) }
  return units.compactMap { differenceChart(readout, $0) } + [effectChart(readout)].compactMap(\.self)
}

extension ExperimentMetric.Unit {
  var ofDifferences: ChartUnit {
    switch self {
    case .share: .points
    case .money(let currency): .money(currency)
    case .number: .count
    }
  }

  fileprivate var unitName: String {
    switch self {
    case .share: "shares, percentage points"
    case .money(let currency): "money, \(currency) a viewer"
    case .number: "means a user"
    }
  }
}

/// Returns an interval that a chart can show; `nil` for one with an open end.
private func shown(_ interval: Interval?) -> ClosedRange<Double>? {
  guard let interval, interval.low.isFinite, interval.high.isFinite, interval.low <= interval.high else { return nil }
  return interval.low...interval.high
}

/// Returns a chart with always-valid intervals, if there are any, because the verdict relies on them.
private func differenceChart(_ readout: ExperimentReadout, _ unit: ExperimentMetric.Unit) -> Chart? {
  var rows: [ForestChart.Row] = []
  var hasOneLook = false
  for metric in readout.metrics where metric.metric.unit == unit {
    // Revenue per payer is on another scale than revenue per user; it is in the table.
    if case .money = unit, metric.metric.kind == .ratio, !metric.isPrimary { continue }
    let text = MetricText(metric)
    for (place, comparison) in metric.comparisons.enumerated() {
      guard let difference = comparison.decisionDifference, difference.isFinite else { continue }
      let always = shown(comparison.sequential.interval)
      let bounds = always ?? shown(comparison.interval)
      let isOneLook = always == nil && bounds != nil
      hasOneLook = hasOneLook || isOneLook
      let variant = readout.treatments.count > 1 ? " · \(readout.treatments[place])" : ""
      let values = [text.difference(difference), bounds.flatMap { text.bounds(Interval($0)) }.map { "(\($0))" }]
      rows.append(
        ForestChart.Row(
          label: "\(metric.metric.readerName)\(metric.isPrimary ? " *" : "")\(isOneLook ? " ¹" : "")\(variant)",
          value: difference, bounds: bounds, text: values.compactMap(\.self).joined(separator: " "),
          series: place % chartSeriesLimit, isFirstOfGroup: place == 0 && readout.treatments.count > 1))
    }
  }
  if rows.isEmpty { return nil }
  let control = visible(readout.arms.first?.variant ?? "the control")
  let against = readout.treatments.count == 1 ? "\(visible(readout.treatments[0])) less \(control)" : "less \(control)"
  let level = chosenShare(readout.plan.level)
  return ForestChart(
    title: "Difference in \(unit.unitName): \(against), \(level) intervals however often you look"
      + (hasOneLook ? " (¹ of one look)" : ""),
    rows: rows, unit: unit.ofDifferences, reference: 0
  ).chart
}

extension Interval {
  fileprivate init(_ range: ClosedRange<Double>) { self.init(low: range.lowerBound, high: range.upperBound) }
}

private func effectChart(_ readout: ExperimentReadout) -> Chart? {
  guard let primary = readout.primary, let first = readout.overTime.first?.instant else { return nil }
  let day = 86_400_000.0
  let lines = readout.treatments.prefix(chartSeriesLimit).map { variant in
    LineChart.Line(
      name: variant,
      points: readout.overTime.compactMap { point in
        point.comparisons.first { $0.variant == variant && $0.difference.isFinite }.map {
          LineChart.Point(
            x: Double(point.instant - first) / day, y: $0.difference, bounds: shown($0.sequential.interval))
        }
      })
  }
  if lines.allSatisfy({ $0.points.count < 2 }) { return nil }
  return LineChart(
    title: "\(primary.metric.readerName.capitalizedFirst): the difference by day of data, with its always-valid band",
    lines: Array(lines), unit: primary.metric.unit.ofDifferences, xName: "end of the day of data, UTC",
    xText: { days, _ in String(instantText(first + Int64((days * day).rounded())).dropFirst(5).prefix(5)) },
    // The wide bands of the first days would flatten all others.
    yFocus: focus(lines), reference: 0
  ).chart
}

/// Returns a range with all values, and all bands except the widest tenth.
private func focus(_ lines: [LineChart.Line]) -> ClosedRange<Double>? {
  let points = lines.flatMap(\.points)
  let widths = points.compactMap(\.bounds).map { $0.upperBound - $0.lowerBound }.sorted()
  guard let limit = widths.isEmpty ? nil : widths[(widths.count - 1) * 9 / 10] else { return nil }
  let bounds = points.compactMap(\.bounds).filter { $0.upperBound - $0.lowerBound <= limit }
  let ends = points.map(\.y) + bounds.flatMap { [$0.lowerBound, $0.upperBound] }
  return (ends.min() ?? 0)...(ends.max() ?? 0)
}
