import Basics
import Metrics
import Statistics

/// Returns all details behind the verdict, to show below the first screen.
func experimentSections(_ readout: ExperimentReadout) -> [ExperimentSection] {
  let text = ReadoutText(readout)
  var sections = [assumptionsSection(readout, text), metricsSection(readout)].compactMap(\.self)
  if !readout.metrics.flatMap(\.comparisons).allSatisfy({ $0.covariate == nil }) || text.capped != nil {
    sections.append(adjustmentsSection(readout, text))
  }
  if let ranking = readout.ranking { sections.append(pairsSection(readout, ranking)) }
  if !readout.segments.isEmpty, text.isReadable { sections.append(segmentsSection(readout, text)) }
  if let trend = readout.trend, text.isReadable { sections.append(trendSection(readout, trend, text)) }
  if let within = readout.within, text.isReadable { sections.append(withinSection(readout, within, text)) }
  if let incidence = readout.incidence { sections.append(incidenceSection(readout, incidence)) }
  if !readout.revenue.isEmpty { sections.append(revenueSection(readout)) }
  if !readout.guardrails.isEmpty { sections.append(guardrailSection(readout)) }
  if !readout.sizes.isEmpty { sections.append(sizeSection(readout)) }
  if !readout.overTime.isEmpty { sections.append(overTimeSection(readout)) }
  if !readout.slices.isEmpty { sections.append(sliceSection(readout)) }
  sections.append(healthChecks(readout))
  return sections
}

/// Returns the sentences that do not fit on the first screen.
private func assumptionsSection(_ readout: ExperimentReadout, _ text: ReadoutText) -> ExperimentSection? {
  var sentences = Array(text.money.dropFirst()) + [text.longTerm, text.risk, text.unfinished].compactMap(\.self)
  let hidden = text.caveats.dropFirst(4)
  sentences += hidden
  return sentences.isEmpty ? nil : ExperimentSection(.assumptions, "Also", sentences: sentences)
}

private func adjustmentsSection(_ readout: ExperimentReadout, _ text: ReadoutText) -> ExperimentSection {
  var rows: [[ReportValue]] = []
  var notApplicable: [String] = []
  for metric in readout.metrics where metric.capped == nil && !readout.needsRates(metric) {
    let numbers = MetricText(metric)
    for (variant, comparison) in zip(readout.treatments, metric.comparisons) {
      guard let reading = comparison.covariate else { continue }
      guard let adjustment = reading.adjustment else {
        if comparison.reason == nil, let reason = reading.reason {
          notApplicable.append("\(metric.metric.readerName): not applicable, \(reason).")
        }
        continue
      }
      rows.append([
        .text(metric.metric.readerName), .text(variant),
        textCell(numbers.change(comparison.difference, comparison.interval)),
        textCell(numbers.change(adjustment.difference, adjustment.interval)),
        textCell(percentText(adjustment.varianceReduction)), .probability(adjustment.twoSidedP),
      ])
    }
  }
  return ExperimentSection(
    .adjustments, "Adjustments",
    sentences: [
      "Adjusted by what users did before the test (CUPED), for one look; decides only with `adjust: cuped` in the plan."
    ]
      + notApplicable.inGroups(by: \.self).map(\.key) + [text.capped].compactMap(\.self),
    columns: .keys("metric", "variant").figures("plain", "adjusted", "less_variance", "p"), rows: rows)
}

private func pairsSection(_ readout: ExperimentReadout, _ ranking: RankingReadout) -> ExperimentSection {
  let listed = readout.listedPairs
  return ExperimentSection(
    .pairs, "Pairs of variants",
    sentences: ["p holds however often you look, for all pairs together (Holm)."]
      + (listed.count < ranking.pairs.count
        ? [
          "Pairs with the first variant or the control; \(countText(ranking.pairs.count - listed.count)) more are not listed."
        ]
        : []),
    columns: .keys("higher", "lower").texts("reading").figures("p"),
    rows: listed.map { pair in
      [
        .text(readout.arms[pair.first].variant), .text(readout.arms[pair.second].variant),
        .text(pair.isShown ? "better" : "cannot be told apart"), .probability(pair.p),
      ]
    })
}

extension ExperimentReadout {
  /// The goal's name as a heading begins, and the format of its numbers.
  var goalName: String { primary?.metric.readerName.capitalizedFirst ?? "" }
  var goalText: MetricText { primary.map(MetricText.init) ?? MetricText(.share) }

  func text(of metric: ExperimentMetric) -> MetricText {
    metrics.first { $0.metric.name == metric.name }.map(MetricText.init) ?? MetricText(metric.unit)
  }

  /// All pairs of variants; with many variants, only pairs with the first or with control.
  var listedPairs: [AllPairs.Pair] {
    guard let ranking else { return [] }
    guard arms.count > Self.mostCompared, let first = ranking.order.first else { return ranking.pairs }
    return ranking.pairs.filter { [$0.first, $0.second].contains { $0 == 0 || $0 == first } }
  }
}

private func segmentsSection(_ readout: ExperimentReadout, _ text: ReadoutText) -> ExperimentSection {
  let numbers = readout.goalText
  return ExperimentSection(
    .segments, "\(readout.goalName) by segment",
    sentences: text.segments + [
      "Intervals hold for all segments of a kind together, however often you look. Segments never decide."
    ],
    columns: .keys("segment", "variant").counts("users")
      .figures("control", "variant_rate", "difference", "interval", "lift"),
    rows: readout.segments.flatMap { segments in
      segments.segments.map { segment in
        [
          .text("\(segments.dimension) \(segment.value)"), .text(segments.variant),
          .count(segment.control.users + segment.treatment.users), textCell(numbers.value(segment.control.estimate)),
          textCell(numbers.value(segment.treatment.estimate)), .text(segment.shownDifference(numbers) ?? "not known"),
          textCell(numbers.bounds(segment.interval)), textCell(segment.interval == nil ? nil : liftText(segment.lift)),
        ]
      }
    })
}

private func trendSection(_ readout: ExperimentReadout, _ trend: TrendReadout, _ text: ReadoutText) -> ExperimentSection
{
  let numbers = readout.goalText
  let ages = readout.byAge.compactMap { age in
    numbers.difference(age.difference).map { "\($0) after \(age.days) \(age.days == 1 ? "day" : "days")" }
  }
  return ExperimentSection(
    .trend, "\(readout.goalName) by week of first exposure",
    sentences: [text.trend].compactMap(\.self)
      + (ages.isEmpty ? [] : ["Difference by age, without a test: \(ages.joined(separator: ", "))."]),
    columns: .keys("week_from").counts("users").figures("control", "variant_rate", "difference"),
    rows: trend.weeks.map { week in
      [
        .text(String(instantText(Int64(week.day) * 86_400_000).prefix(10))),
        .count(week.control.users + week.treatment.users), textCell(numbers.value(week.control.estimate)),
        textCell(numbers.value(week.treatment.estimate)), textCell(numbers.difference(week.difference)),
      ]
    })
}

private func withinSection(
  _ readout: ExperimentReadout, _ within: WithinUserReadout, _ text: ReadoutText
) -> ExperimentSection {
  let numbers = readout.goalText
  return ExperimentSection(
    .trend, "\(readout.goalName) by week since exposure",
    sentences: [text.within].compactMap(\.self)
      + ["Of \(userText(within.users)) with both weeks; each user's last week minus the first, by Welch's test."],
    columns: .keys("week").figures("control", "variant_mean", "difference"),
    rows: [within.first, within.last].map { week in
      [
        .text("\(week.number)"), textCell(numbers.value(week.control)), textCell(numbers.value(week.treatment)),
        textCell(numbers.difference(week.difference)),
      ]
    })
}

private let missingMoney =
  "Money is left out because some payments lack rates; the CSV has it and counts those payments as 0."

private func metricsSection(_ readout: ExperimentReadout) -> ExperimentSection {
  var rows: [[ReportValue]] = []
  for metric in readout.metrics where !readout.needsRates(metric) {
    let text = MetricText(metric)
    for (place, arm) in metric.arms.enumerated() {
      let comparison = place == 0 ? nil : metric.comparisons[place - 1]
      rows.append(
        [.text(metric.metric.readerName + (metric.isPrimary ? " *" : "")), .text(readout.arms[place].variant)]
          + [.count(arm.persons), .count(arm.events), textCell(text.value(arm.estimate, arm.interval))]
          + comparisonCells(comparison, text, isControl: place == 0)
          + [
            .probability(comparison?.chanceToBeat), .probability(arm.chanceBest), textCell(text.size(arm.expectedLoss)),
          ])
    }
  }
  let confidence = chosenShare(readout.plan.level)
  return ExperimentSection(
    .metrics, "Metrics",
    sentences: [
      "* The goal, which decides. Intervals are \(confidence): “one look” and “lift” hold for one look, “always valid” however "
        + "often you look."
    ]
      + (readout.metrics.contains(where: readout.needsRates) ? [missingMoney] : []) + metricNotes(readout)
      + (readout.arms.count > ExperimentReadout.mostCompared
        ? ["With more than \(ExperimentReadout.mostCompared) variants, no chances of being the best are computed."]
        : []),
    columns: .keys("metric", "variant").counts("n", "events")
      .figures("value", "difference", "one_look", "always_valid", "lift", "lift_bounds", "p", "p_always_valid")
      .figures("beats_control", "is_best", "expected_loss"), rows: rows)
}

func comparisonCells(_ comparison: ArmComparison?, _ text: MetricText, isControl: Bool) -> [ReportValue] {
  guard let comparison else {
    return [ReportValue](repeating: .text(isControl ? "" : undefinedMark), count: 5) + [
      .probability(nil), .probability(nil),
    ]
  }
  return [
    textCell(text.difference(comparison.difference)), textCell(text.bounds(comparison.interval)),
    textCell(text.bounds(comparison.sequential)),
    textCell(liftText(comparison.lift)), textCell(liftBoundsText(comparison.liftInterval)),
    .probability(comparison.p), .probability(comparison.decisionP),
  ]
}

/// Returns notes on metrics: reasons for missing numbers, grouped by reason, and other remarks.
private func metricNotes(_ readout: ExperimentReadout) -> [String] {
  var reasons: [(text: String, name: String)] = []
  func add(_ reason: String?, _ name: String) {
    if let reason { reasons.append((reason, name)) }
  }
  var notes: [String] = []
  for metric in readout.metrics where !readout.needsRates(metric) {
    let text = MetricText(metric)
    for (variant, comparison) in zip(readout.treatments, metric.comparisons) {
      let name = metric.metric.readerName + (readout.treatments.count > 1 ? " of \(visible(variant))" : "")
      add(comparison.reason, name)
      if comparison.reason == nil {
        add(comparison.liftReason.map { "lift \($0)" }, name)
        add(comparison.sequential.reason.map { "no always-valid interval: \($0)" }, name)
      }
      if let test = comparison.logRank {
        notes.append(
          "\(name): log-rank over all times, χ² = \(fixed(test.chiSquare, 2)) on \(test.degrees) df, "
            + "\(probabilityClause(test.p)).")
      }
      if let bounds = text.bounds(comparison.bootstrap) {
        notes.append("\(name): values are few and uneven; the bootstrap puts the difference at \(bounds).")
      }
    }
    if let capped = metric.capped, let cap = text.value(capped.cap), let amount = text.value(capped.amount) {
      let persons = userText(capped.persons)
      let verb = capped.persons == 1 ? "counts" : "count"
      notes.append("\(metric.metric.readerName): \(persons) above \(cap) \(verb) as \(cap), \(amount) less in all.")
    }
    if metric.familySize > 1 {
      notes.append(
        "\(metric.metric.readerName): intervals hold for all \(metric.familySize) comparisons together, p by Holm's "
          + "method.")
    }
  }
  return reasons.inGroups(by: \.text).map { text, all in
    let names = all.inGroups(by: \.name).map(\.key)
    return "\(readout.arms.count > 6 ? ReadoutText.few(names) : names.joined(separator: ", ")): \(text)."
  } + notes
}
