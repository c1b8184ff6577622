import Metrics
import Statistics

/// The pictures of a readout: the goal's difference by day of data with what holds however often you look, and by week
/// of the first exposure.
func charts(of readout: ExperimentReadout, marks: [TimeMark] = []) -> [Chart] {
  [courseChart(readout, marks: marks), weekChart(readout, marks: marks)].compactMap(\.self)
}

extension ExperimentMetric.Unit {
  var ofDifferences: ChartUnit {
    switch self {
    case .share: .points
    case .money(let currency): .money(currency)
    case .number: .count
    }
  }
}

/// Returns an interval that a chart can show; `nil` for one with an open end.
func finiteRange(_ interval: Interval?) -> ClosedRange<Double>? {
  guard let interval, interval.low.isFinite, interval.high.isFinite, interval.low <= interval.high else { return nil }
  return interval.low...interval.high
}

private let day = 86_400_000.0
/// The most days of a course of which each is drawn.
private let mostDays = 90

/// The goal's difference by day of data with its always-valid band.
func courseChart(_ readout: ExperimentReadout, marks: [TimeMark] = [], height: Double = 300) -> Chart? {
  guard let primary = readout.primary, let first = readout.overTime.first?.instant else { return nil }
  // Of many, those of the scorecard.
  let variants = Scorecard(readout).arms.dropFirst().compactMap { name in
    readout.treatments.first { visible($0) == name }
  }
  // Bands over each other hide all: of many variants, the leader's.
  let banded = variants.count > 2 ? ReadoutText(readout).leader : nil
  // Of years, every so many days, the last among them.
  let every = max(1, (readout.overTime.count + mostDays - 1) / mostDays)
  let course = readout.overTime.enumerated().filter { (readout.overTime.count - 1 - $0.offset) % every == 0 }.map(
    \.element)
  let lines = variants.prefix(chartSeriesLimit - 1).map { variant in
    LineChart.Line(
      name: variant,
      points: course.compactMap { point in
        point.comparisons.first { $0.variant == variant && $0.difference.isFinite }.map {
          LineChart.Point(
            x: (Double(point.instant - first) / day).rounded(), y: $0.difference,
            bounds: banded == nil || visible(variant) == banded ? finiteRange($0.sequential.interval) : nil)
        }
      })
  }
  // Differences without an interval would look certain.
  if lines.allSatisfy({ $0.points.count < 2 || $0.points.allSatisfy { $0.bounds == nil } }) { return nil }
  let isLong = lines.flatMap(\.points).contains { $0.x > 365 }
  func text(_ x: Double) -> String { shortDay(Int((Double(first - 1) / day + x).rounded(.down)), hasYear: isLong) }
  let days = Array(Set(lines.flatMap(\.points).map(\.x))).sorted()
  let step = max(1, (days.count - 1) / 5)
  return LineChart(
    title: "The difference over time",
    subtitle:
      "difference in \(primary.metric.readerName)\(primary.metric.unit.ofDifferences.suffix), all data up to the day; band\(banded.map { " of \($0)" } ?? ""): interval that holds however often you look",
    lines: Array(lines), order: readout.variantOrder, unit: primary.metric.unit.ofDifferences, xText: text,
    xTicks: days.enumerated().filter { $0.offset % step == 0 }.map(\.element), xName: "Data through",
    // The first days' bands would press all others flat.
    yFocus: focus(lines), reference: 0,
    marks: marks.map { (Double($0.day) - Double(first - 1) / day, $0.text) }, height: height,
    note: [courseSentence(readout), every > 1 ? "Drawn every \(every) days." : nil].compactMap(\.self)
      .joined(separator: " ")
  ).chart
}

private func weekChart(_ readout: ExperimentReadout, marks: [TimeMark]) -> Chart? {
  guard ReadoutText(readout).isReadable, let primary = readout.primary, let trend = readout.trend, trend.weeks.count > 1
  else { return nil }
  let numbers = MetricText(primary)
  // Of more, bars would lie over each other.
  let weeks = trend.weeks.suffix(26)
  let points = weeks.compactMap { week -> LineChart.Point? in
    guard week.difference.isFinite else { return nil }
    let half = 1.959_963_984_540_054 * week.standardError
    // Shares differ by all at most.
    let most = primary.metric.unit == .share ? 1 : Double.infinity
    let values = [week.control.estimate, week.treatment.estimate].map { numbers.value($0) ?? undefinedMark }
    return LineChart.Point(
      x: Double(week.day), y: week.difference,
      bounds: finiteRange(
        Interval(low: max(week.difference - half, -most), high: min(week.difference + half, most))),
      note: "\(values[0]) in control, \(values[1]); \(userText(week.control.users + week.treatment.users))")
  }
  if points.count < 2 { return nil }
  let isLong = points[points.count - 1].x - points[0].x > 365
  let text = ReadoutText(readout)
  let variant = readout.treatments.count > 1 ? " of \(text.leader)" : ""
  return LineChart(
    title: "By week of the first exposure",
    subtitle:
      "difference\(variant) in \(primary.metric.readerName)\(primary.metric.unit.ofDifferences.suffix), one look",
    lines: [LineChart.Line(name: text.leader, points: points)], order: readout.variantOrder,
    unit: primary.metric.unit.ofDifferences, xText: { shortDay(Int($0), hasYear: isLong) }, xName: "Week of",
    reference: 0,
    hasDots: true, isOfIntervals: true, marks: marks.map { (Double($0.day), $0.text) }, height: 230,
    note: [weeks.count < trend.weeks.count ? "The newest 26 of \(trend.weeks.count) weeks." : nil, text.trend]
      .compactMap(\.self)
      .joined(separator: " ")
  ).chart
}

/// Returns a range with all values, and all bands except the widest tenth.
private func focus(_ lines: [LineChart.Line]) -> ClosedRange<Double>? {
  let points = lines.flatMap(\.points)
  let widths = points.compactMap(\.bounds).map { $0.upperBound - $0.lowerBound }.sorted()
  guard let limit = widths.isEmpty ? nil : widths[(widths.count - 1) * 3 / 4] else { return nil }
  let bounds = points.compactMap(\.bounds).filter { $0.upperBound - $0.lowerBound <= limit }
  let ends = points.suffix(max(1, points.count * 3 / 4)).map(\.y) + bounds.flatMap { [$0.lowerBound, $0.upperBound] }
  return (ends.min() ?? 0)...(ends.max() ?? 0)
}
