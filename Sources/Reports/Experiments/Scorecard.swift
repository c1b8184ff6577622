import Metrics
import Statistics

/// The metrics for a decision: at most nine rows, one per metric, with the variants side by side (Experiments.md,
/// "The readout").
struct Scorecard {
  static let mostRows = 9
  static let mostTreatments = 5

  enum Tone: String {
    case good
    case bad
    case calm
  }

  /// A treatment compared with control.
  struct Cell {
    /// The difference, such as `+4.4 pp`; `nil` if nothing can be compared.
    var difference: String?
    /// The bounds, such as `+2.0 to +6.8`; with their unit if there is no difference.
    var bounds: String?
    /// The reading, such as `better`, or the reason for its absence.
    var reading: String
    var tone: Tone
    var value: Double?
    var interval: ClosedRange<Double>?
    /// Whether the interval holds for one look only.
    var isOneLook = false

    /// The difference with bounds, such as `+4.4 pp (+2.0 to +6.8)`.
    var change: String {
      guard let difference else { return bounds ?? undefinedMark }
      return bounds.map { "\(difference) (\($0)\(isOneLook ? "¹" : ""))" } ?? difference
    }
  }

  struct Row {
    var name: String
    /// The name for narrow tables, with the currency of money, such as `USD a user, 30 d`.
    var shortName: String
    var role: MetricRole
    /// `↑`, `↓` or empty.
    var arrow: String
    var unit: ExperimentMetric.Unit
    /// One per arm.
    var values: [String]
    /// One per treatment; empty if nothing may be compared.
    var cells: [Cell]
    /// The margin of differences around 0 that do not matter, in the metric's unit; `nil` without one.
    var margin: Double?
    var isConditional: Bool
  }

  /// Control and the treatments shown, in reading order.
  var arms: [String]
  /// The places of the treatments shown among the readout's.
  private var treatments: [Int]
  /// The number of treatments omitted for lack of space.
  var hiddenArms: Int
  var rows: [Row]
  /// The number of metrics without a row.
  var omitted: Int
  /// Whether any treatment may be called better or worse.
  var isReadable: Bool

  init(_ readout: ExperimentReadout) {
    let text = ReadoutText(readout)
    isReadable = text.isReadable
    let shown = Self.treatments(readout)
    treatments = shown
    arms = Self.places(shown, readout).map { visible(readout.arms[$0].variant) }
    hiddenArms = readout.treatments.count - shown.count
    var all = readout.metrics.filter { Self.isShown($0) }.map {
      Self.row($0, readout, shown, isReadable: text.isReadable)
    }
    if let longTerm = readout.longTerm, longTerm.basis != nil,
      text.isReadable
    {
      let place = all.firstIndex { $0.role != .goal && $0.role != .money } ?? all.endIndex
      all.insert(Self.row(longTerm, readout, shown, currency: text.currency), at: place)
    }
    rows = Array(all.prefix(Self.mostRows))
    omitted = readout.metrics.count { $0.capped == nil && !Self.isShown($0) } + all.count - rows.count
  }

  /// Returns the place of a treatment among the cells of a row; `nil` if it is not shown.
  func column(of treatment: Int) -> Int? { treatments.firstIndex(of: treatment) }

  /// Returns the goal's row, with the column and the cell of the decision's treatment; `nil` where nothing is compared.
  func goal(_ text: ReadoutText) -> (row: Row, column: Int, cell: Cell)? {
    guard text.isReadable, let row = rows.first(where: { $0.role == .goal }), let column = column(of: text.leaderPlace),
      row.cells.indices.contains(column)
    else { return nil }
    return (row, column, row.cells[column])
  }

  /// Returns the places of the treatments shown, in reading order: all of a few, or else the best few with the
  /// decision's treatment.
  private static func treatments(_ readout: ExperimentReadout) -> [Int] {
    let shown = Set(few(readout))
    return readout.readingOrder.map { $0 - 1 }.filter(shown.contains)
  }

  private static func few(_ readout: ExperimentReadout) -> [Int] {
    let all = Array(readout.treatments.indices)
    guard all.count > mostTreatments else { return all }
    let order = (readout.ranking?.order ?? []).filter { $0 > 0 }.map { $0 - 1 }
    let ranked = order + all.filter { !Set(order).contains($0) }
    let best = Array(ranked.prefix(mostTreatments - 1))
    guard let leader = readout.decision.treatment, !best.contains(leader) else { return best }
    return best + [leader]
  }

  /// Returns the places of control and of these treatments among the arms.
  private static func places(_ shown: [Int], _ readout: ExperimentReadout) -> [Int] {
    readout.arms.isEmpty ? [] : [0] + shown.map { $0 + 1 }
  }

  /// Returns whether a metric has a row: not a capped metric, a part of other metrics, or a metric that the app does
  /// not have.
  private static func isShown(_ metric: MetricReadout) -> Bool {
    if metric.capped != nil || metric.metric.baseName == "trial_cancelled_per_exposed" { return false }
    return metric.role != .secondary || metric.absence != nil || metric.arms.contains { $0.events > 0 }
  }

  var hasOneLook: Bool { rows.contains { $0.cells.contains(where: \.isOneLook) } }

  /// Returns how far the bars of a row's scale extend to both sides of 0: as far as every value and interval on it.
  func reach(_ row: Row) -> Double {
    let ends = rows.filter { isOnScale($0, of: row) }.flatMap(\.cells).flatMap {
      [$0.value, $0.interval?.lowerBound, $0.interval?.upperBound]
    }
    let reach = ends.compactMap { $0.map(abs) }.filter(\.isFinite).max() ?? 0
    return reach > 0 ? reach : 1
  }

  /// Returns whether two rows share a scale. Metrics of some users have scales of their own: their wide intervals would
  /// flatten the others.
  private func isOnScale(_ one: Row, of other: Row) -> Bool {
    one.unit == other.unit && one.isConditional == other.isConditional
  }

  /// - Parameter shown: Places of treatments.
  private static func row(
    _ metric: MetricReadout, _ readout: ExperimentReadout, _ shown: [Int], isReadable: Bool
  ) -> Row {
    let text = MetricText(metric)
    let name = metric.metric.readerNameWithTime(readout.plan) + currencyNote(metric, readout)
    let cells: [Cell] =
      isReadable
      ? shown.filter(metric.comparisons.indices.contains).map { place in
        cell(metric, metric.comparisons[place], text, guardrail: guardrail(metric, treatment: place, readout))
      } : []
    var row = Row(
      name: name, shortName: metric.metric.shortName(readout.plan), role: metric.role, arrow: metric.metric.arrow,
      unit: metric.metric.unit,
      values: places(shown, readout).map { place in
        metric.arms.indices.contains(place) ? text.value(metric.arms[place].estimate) ?? undefinedMark : undefinedMark
      }, cells: cells, margin: isReadable ? margin(metric, readout) : nil,
      isConditional: metric.conditionalOn != nil)
    if readout.needsRates(metric) {
      row.values = row.values.map { _ in undefinedMark }
      row.cells = shown.map { _ in Cell(reading: "needs rates", tone: .calm) }
    }
    if let absence = metric.absence {
      row.cells = shown.map { _ in
        Cell(reading: "absent: \(reasonWords(absence))", tone: .calm)
      }
    }
    return row
  }

  /// Returns a note on the currency if it is not the decision currency.
  private static func currencyNote(_ metric: MetricReadout, _ readout: ExperimentReadout) -> String {
    guard case .money(let currency) = metric.metric.unit, let own = readout.money?.currency, own != currency else {
      return ""
    }
    return ", \(currency)"
  }

  private static func guardrail(
    _ metric: MetricReadout, treatment: Int, _ readout: ExperimentReadout
  ) -> GuardrailReadout? {
    let variant = readout.arms[treatment + 1].variant
    return readout.guardrails.first { $0.variant == variant && $0.metric.name == metric.metric.name }
  }

  private static func cell(
    _ metric: MetricReadout, _ comparison: ArmComparison, _ text: MetricText, guardrail: GuardrailReadout?
  ) -> Cell {
    // Metrics over users selected by the outcome only have the interval of one look (D5.3), and shares of which few have
    // the outcome (D2.3). The goal never rests on it.
    let always = comparison.sequential.interval
    let hasOneLook =
      metric.conditionalOn != nil
      || !metric.isPrimary && metric.metric.unit == .share && metric.arms.allSatisfy { $0.persons >= 50 }
    var interval = always ?? (hasOneLook ? comparison.interval : nil)
    // A difference of shares beyond 100 pp comes from too few users for the method.
    if metric.metric.unit == .share, let ends = interval, min(ends.low, -ends.high) < -1 { interval = nil }
    let isOneLook =
      always != nil ? comparison.sequential.method == .once && metric.conditionalOn != nil : interval != nil
    let (reading, tone) = reading(metric, comparison, guardrail)
    let isShown = interval.map { $0.low.isFinite && $0.high.isFinite && $0.low <= $0.high } ?? false
    // A dot without an interval would look certain.
    let isKnown = interval != nil || comparison.standing != .withheld
    return Cell(
      difference: isKnown ? text.difference(comparison.decisionDifference) : nil, bounds: text.bounds(interval),
      reading: reading, tone: tone, value: isKnown ? comparison.decisionDifference : nil,
      interval: isShown ? interval.map { $0.low...$0.high } : nil, isOneLook: isOneLook)
  }

  private static func reading(
    _ metric: MetricReadout, _ comparison: ArmComparison, _ guardrail: GuardrailReadout?
  ) -> (String, Tone) {
    if comparison.difference == nil, comparison.reason != nil { return ("not known", .calm) }
    if let guardrail, guardrail.margin != nil {
      switch guardrail.state {
      case .holds: return ("within the margin", .calm)
      case .failed: return ("beyond the margin", .bad)
      case .open: return ("not shown to hold", .calm)
      }
    }
    guard metric.metric.goodDirection != nil else {
      return (comparison.standing == .better || comparison.standing == .worse ? "differs" : "not known", .calm)
    }
    switch comparison.standing {
    case .better: return ("better", .good)
    case .worse: return ("worse", .bad)
    case .same: return ("same", .calm)
    case .open: return (metric.role == .guardrail ? "no harm shown" : "not known", .calm)
    case .withheld: return ("too few", .calm)
    }
  }

  private static func margin(_ metric: MetricReadout, _ readout: ExperimentReadout) -> Double? {
    let control = metric.arms.first?.estimate
    if let guardrail = readout.plan.guardrails.first(where: {
      $0.metric == metric.metric.name || $0.metric == metric.metric.baseName
    }) {
      switch guardrail.margin {
      case .absolute(let margin): return margin
      case .relative(let share): return control.map { abs($0) * share }
      case nil: return nil
      }
    }
    guard metric.isPrimary else { return nil }
    return readout.plan.margin ?? control.map { abs($0) * readout.plan.sameLift }
  }

  private static func row(
    _ longTerm: LongTermReadout, _ readout: ExperimentReadout, _ shown: [Int], currency: String
  ) -> Row {
    let unit = ExperimentMetric.Unit.money(currency: currency)
    let text = MetricText(unit)
    let cells = shown.map { place -> Cell in
      let difference = longTerm.differences.indices.contains(place) ? longTerm.differences[place] : nil
      let interval = longTerm.differenceIntervals.indices.contains(place) ? longTerm.differenceIntervals[place] : nil
      if longTerm.basis == nil || difference == nil && interval == nil {
        return Cell(reading: "not known yet", tone: .calm)
      }
      let reading = interval.map { $0.low > 0 ? "better" : $0.high < 0 ? "worse" : "not known" } ?? "not known"
      return Cell(
        difference: text.difference(difference),
        bounds: text.bounds(interval).map { difference == nil ? "\($0) \(currency)" : $0 }, reading: reading,
        tone: reading == "better" ? .good : reading == "worse" ? .bad : .calm, value: difference,
        interval: interval.flatMap { $0.low <= $0.high ? $0.low...$0.high : nil })
    }
    return Row(
      name: "value at 12 months", shortName: "\(currency) at 12 months", role: .longTerm, arrow: "↑", unit: unit,
      values: places(shown, readout).map { place in
        guard longTerm.basis != nil, longTerm.values.indices.contains(place) else { return undefinedMark }
        let value = text.value(longTerm.values[place])
        let range = longTerm.intervals.indices.contains(place) ? longTerm.intervals[place].flatMap(text.range) : nil
        // A prediction is a range first (D6.9).
        return (longTerm.basis == .seen ? value ?? range : range ?? value) ?? undefinedMark
      }, cells: cells, margin: nil, isConditional: false)
  }
}

extension Scorecard {
  /// Returns notes on the level of the intervals and the meaning of marks.
  ///
  /// - Parameters:
  ///   - countsOmitted: Whether to count the metrics without a row.
  ///   - rest: Where the variants and metrics without a row are.
  func notes(_ readout: ExperimentReadout, countsOmitted: Bool = true, rest: String = "with --all") -> [String] {
    guard isReadable else { return ["Do not read differences: see the verdict."] }
    let level = chosenShare(readout.plan.level)
    var notes: [String] = []
    switch readout.schedule.rule {
    case .alwaysValid:
      let why = ReadoutText(readout).whyUnplanned.capitalizedFirst
      notes.append("\(why): the \(level) intervals hold however often you look.")
    case .groupSequential: notes.append("With this plan, the \(level) intervals hold at every look.")
    case .once: notes.append("\(level) intervals, for the one look that was planned.")
    }
    if let days = ReadoutText(readout).comparison(readout.primary)?.sequential.stoppedDaysBefore, days > 0 {
      let day = dayText(readout.asOf - Int64(days) * 86_400_000 - 1)
      notes.append("The goal's difference is from \(day), when the plan's rule decided; its values are current.")
    }
    if hasOneLook { notes.append("¹ For one look only.") }
    if hiddenArms > 0 {
      notes.append("\(countText(hiddenArms)) more \(hiddenArms == 1 ? "variant" : "variants") \(rest).")
    }
    if countsOmitted, omitted > 0 { notes.append("\(omitted) more \(omitted == 1 ? "metric" : "metrics") \(rest).") }
    return notes
  }
}

extension Scorecard {
  /// A note on a p that disagrees with the interval: a bound that was crossed stays crossed, and Holm's p can be ahead.
  var noteOnP: String? {
    let restsOnP = rows.flatMap(\.cells).contains { cell in
      guard let interval = cell.interval, ["better", "worse"].contains(cell.reading) else { return false }
      return interval.lowerBound < 0 && interval.upperBound > 0
    }
    return restsOnP
      ? "If an interval includes 0, “better” or “worse” comes from p, which also counts earlier looks." : nil
  }

  /// A note on bars that have another scale than those of the same unit; `nil` if all of a unit have one.
  var noteOnScale: String? {
    let drawn = rows.filter { $0.cells.contains { $0.value != nil } }
    let hasTwo = drawn.contains { one in
      drawn.contains { $0.unit == one.unit && $0.isConditional != one.isConditional }
    }
    return hasTwo ? "Bars of rows per trial or payer have a scale of their own." : nil
  }

  /// How far the bars of a page reach, which share a scale by unit.
  func barEnd(_ row: Row) -> Double { roundReach(reach(row) * 1.05) }

  /// The ends of the bars of a page; `nil` where none is drawn.
  var noteOnEnds: String? {
    var ends: [String] = []
    for row in rows where row.cells.contains(where: { $0.value != nil }) {
      let end =
        reachText(barEnd(row), row.unit.ofDifferences) + (row.isConditional ? " in rows per trial or payer" : "")
      if !ends.contains(end) { ends.append(end) }
    }
    return ends.isEmpty ? nil : "Bars reach \(listText(ends)) to each side."
  }

  /// A note on the grey behind the bars; `nil` where there is none.
  var noteOnMargin: String? {
    let isDrawn = rows.contains { row in (row.margin ?? 0) > 0 && row.cells.contains { $0.value != nil } }
    return isDrawn ? "Grey area around 0: differences too small to matter." : nil
  }

  /// Returns ``notes(_:countsOmitted:rest:)`` with notes on p, and on rows over trials or payers.
  ///
  /// - Parameter bars: A note on the bars; `nil` where there are none.
  func memoNotes(_ readout: ExperimentReadout, bars: String?) -> [String] {
    let isShown = isReadable && rows.contains { $0.isConditional && $0.cells.contains { $0.difference != nil } }
    return notes(readout, rest: "in the full readout") + [noteOnP].compactMap(\.self)
      + (isShown
        ? ["Rows per trial or payer compare different users: the variants change who starts a trial or pays."] : [])
      + [bars].compactMap(\.self)
  }
}

/// Returns a difference with its interval in plain characters: `│` is 0, `·` marks the ends of the margin.
func differenceBar(_ cell: Scorecard.Cell, reach: Double, margin: Double?, width: Int) -> String {
  guard let value = cell.value, value.isFinite else { return "" }
  return intervalBar(value, cell.interval, axis: -reach...reach, width: width, hasZero: true, margin: margin)
}

extension ExperimentReadout {
  /// Whether a metric is money of one currency over everybody, as payments without a rate count 0.
  func needsRates(_ metric: MetricReadout) -> Bool {
    guard case .money(let currency) = metric.metric.unit, let money else { return false }
    return money.isPartial && money.currency == currency
  }
}
