import Metrics
import Statistics

/// The parts of a readout, in the order that a reader needs them.
func experimentSections(_ readout: ExperimentReadout) -> [ExperimentSection] {
  let verdict = VerdictText(readout)
  var sections = [
    ExperimentSection("Verdict", sentences: [verdict.sentence] + verdict.reasons), healthSection(readout),
    metricsSection(readout),
  ]
  if let incidence = readout.incidence { sections.append(incidenceSection(readout, incidence)) }
  if !readout.revenue.isEmpty { sections.append(revenueSection(readout)) }
  if !readout.guardrails.isEmpty { sections.append(guardrailSection(readout)) }
  if !readout.sizes.isEmpty { sections.append(sizeSection(readout)) }
  if !readout.overTime.isEmpty { sections.append(overTimeSection(readout)) }
  if !readout.slices.isEmpty { sections.append(sliceSection(readout)) }
  return sections
}

private func metricsSection(_ readout: ExperimentReadout) -> ExperimentSection {
  var rows: [[ReportValue]] = []
  for metric in readout.metrics {
    let text = MetricText(metric)
    for (place, arm) in metric.arms.enumerated() {
      let comparison = place == 0 ? nil : metric.comparisons[place - 1]
      rows.append(
        [.text(metric.metric.name + (metric.isPrimary ? " *" : "")), .text(readout.arms[place].variant)]
          + [.count(arm.persons), .count(arm.events), textCell(text.value(arm.estimate, arm.interval))]
          + comparisonCells(comparison, text, isControl: place == 0)
          + [
            .probability(comparison?.chanceToBeat), .probability(arm.chanceBest), textCell(text.size(arm.expectedLoss)),
          ])
    }
  }
  let confidence = percentText(readout.plan.level) ?? ""
  return ExperimentSection(
    "Metrics",
    sentences: [
      "* decides. Intervals of \(confidence); difference and lift: of one look; always valid: however often one looks."
    ] + metricNotes(readout),
    columns: [ReportColumn("metric", .key), ReportColumn("variant", .key)] + [
      ReportColumn("n", .count), ReportColumn("events", .count), .figure("value"), .figure("difference"),
      .figure("one_look"), .figure("always_valid"), .figure("lift"), .figure("lift_bounds"), .figure("p"),
      .figure("p_always_valid"), .figure("beats_control"), .figure("is_best"), .figure("expected_loss"),
    ], rows: rows)
}

private func comparisonCells(_ comparison: ArmComparison?, _ text: MetricText, isControl: Bool) -> [ReportValue] {
  guard let comparison else {
    return [ReportValue](repeating: .text(isControl ? "" : undefinedMark), count: 5) + [
      .probability(nil), .probability(nil),
    ]
  }
  let always =
    text.bounds(comparison.sequential.interval)
    ?? comparison.sequential.liftInterval.flatMap(liftBoundsText).map { "lift \($0)" }
  return [
    textCell(text.difference(comparison.difference)), textCell(text.bounds(comparison.interval)), textCell(always),
    textCell(liftText(comparison.lift)), textCell(liftBoundsText(comparison.liftInterval)),
    .probability(comparison.p), .probability(comparison.decisionP),
  ]
}

/// Why numbers are missing, metrics with the same reason together, and what else bears on them.
private func metricNotes(_ readout: ExperimentReadout) -> [String] {
  var reasons: [(text: String, names: [String])] = []
  func add(_ reason: String?, _ name: String) {
    guard let reason else { return }
    if let place = reasons.firstIndex(where: { $0.text == reason }) {
      if !reasons[place].names.contains(name) { reasons[place].names.append(name) }
    } else {
      reasons.append((reason, [name]))
    }
  }
  var notes: [String] = []
  for metric in readout.metrics {
    let text = MetricText(metric)
    for (variant, comparison) in zip(readout.treatments, metric.comparisons) {
      let name = visible(metric.metric.name) + (readout.treatments.count > 1 ? " of \(visible(variant))" : "")
      add(comparison.reason, name)
      if comparison.reason == nil {
        add(comparison.liftReason.map { "lift \($0)" }, name)
        add(comparison.sequential.reason.map { "nothing always valid, \($0)" }, name)
      }
      if let test = comparison.logRank {
        notes.append(
          "\(name): log-rank over all times, χ² = \(fixed(test.chiSquare, 2)) on \(test.degrees) df, "
            + "\(probabilityClause(test.p)).")
      }
      if let reading = comparison.covariate {
        if let adjustment = reading.adjustment, let difference = text.difference(adjustment.difference),
          let bounds = text.bounds(adjustment.interval), let less = percentText(adjustment.varianceReduction)
        {
          notes.append(
            "\(name): adjusted by \(reading.covariate) (CUPED): \(difference) (\(bounds)), "
              + "\(probabilityClause(adjustment.twoSidedP)), \(less) less variance.")
        } else if comparison.reason == nil {
          add(reading.reason.map { "no adjustment by history (CUPED), \($0)" }, name)
        }
      }
      if let bounds = text.bounds(comparison.bootstrap) {
        notes.append("\(name): few and uneven values; the bootstrap has the difference at \(bounds).")
      }
    }
    if let capped = metric.capped, let cap = text.value(capped.cap), let amount = text.value(capped.amount) {
      let persons = capped.persons == 1 ? "1 person" : "\(countText(capped.persons)) persons"
      notes.append("\(visible(metric.metric.name)): \(persons) above \(cap) set to it, \(amount) less in all.")
    }
    if metric.familySize > 1 {
      notes.append(
        "\(visible(metric.metric.name)): intervals hold for all \(metric.familySize) comparisons together, p by Holm's "
          + "method.")
    }
  }
  return reasons.map { "\($0.names.joined(separator: ", ")): \($0.text)." } + notes
}

private func incidenceSection(_ readout: ExperimentReadout, _ incidence: IncidenceReadout) -> ExperimentSection {
  let metric = readout.metrics.first { $0.metric.name == incidence.metric }
  let text = metric.map(MetricText.init) ?? MetricText(.share, halfWidth: nil)
  let days = daysText(incidence.horizon)
  var sentences = [
    "Incidence of conversion \(days) after a trial's start (trial length and grace), those still open censored."
  ]
  if let gray = incidence.gray {
    sentences.append(
      "Gray's test over all times: χ² = \(fixed(gray.chiSquare, 2)) on \(gray.degrees) df, \(probabilityClause(gray.p))."
    )
  } else {
    sentences.append("Gray's test: not estimable, too few conversions.")
  }
  return ExperimentSection(
    "Trial to paid", sentences: sentences,
    columns: [ReportColumn("variant", .key)]
      + ["trials", "converted", "lapsed", "pending"].map { ReportColumn($0, .count) }
      + [.figure("incidence"), .figure("difference"), .figure("one_look"), .figure("p")],
    rows: incidence.arms.enumerated().map { place, arm in
      let comparison = place == 0 ? nil : metric?.comparisons[place - 1]
      let result = metric?.arms[place]
      return [
        .text(readout.arms[place].variant), .count(arm.started), .count(arm.converted), .count(arm.lapsed),
        .count(arm.pending), textCell(text.value(result?.estimate, result?.interval)),
        .text(comparison.flatMap { text.difference($0.difference) } ?? (place == 0 ? "" : undefinedMark)),
        .text(comparison.flatMap { text.bounds($0.interval) } ?? (place == 0 ? "" : undefinedMark)),
        .probability(comparison?.p),
      ]
    })
}

private func revenueSection(_ readout: ExperimentReadout) -> ExperimentSection {
  ExperimentSection(
    "Revenue = conversion × revenue per payer",
    sentences: [
      "Net, within 30 d of the exposure, by currency; lifts against the control multiply to that of revenue."
    ],
    columns: [ReportColumn("currency", .key), ReportColumn("variant", .key), ReportColumn("persons", .count)] + [
      ReportColumn("payers", .count), .figure("conversion"), .figure("conversion_lift"), .figure("per_payer"),
      .figure("per_payer_lift"), .figure("per_person"), .figure("per_person_lift"),
    ],
    rows: readout.revenue.flatMap { split in
      split.arms.enumerated().map { place, arm in
        let text = MetricText(.money(currency: split.currency), halfWidth: arm.revenuePerPayer.map { $0 / 100 })
        func lift(_ value: Double?) -> ReportValue {
          .text(liftText(value) ?? (place == 0 ? "" : undefinedMark))
        }
        return [
          .text(split.currency), .text(readout.arms[place].variant), .count(arm.persons), .count(arm.payers),
          textCell(percentText(arm.conversion)), lift(arm.conversionLift), textCell(text.value(arm.revenuePerPayer)),
          lift(arm.revenuePerPayerLift), textCell(text.value(arm.revenuePerPerson)), lift(arm.revenueLift),
        ]
      }
    })
}

private func guardrailSection(_ readout: ExperimentReadout) -> ExperimentSection {
  ExperimentSection(
    "Guardrails",
    sentences: ["One-sided at half of α: non-inferior, inferior, or undecided yet."],
    columns: [
      ReportColumn("metric", .key), ReportColumn("variant", .key), .figure("margin"), .figure("difference"),
      .figure("lift"), ReportColumn("state", .text), .figure("p"),
    ],
    rows: readout.guardrails.map { guardrail in
      let text =
        readout.metrics.first { $0.metric.name == guardrail.metric.name }.map(MetricText.init)
        ?? MetricText(guardrail.metric.unit, halfWidth: nil)
      let margin: String? =
        switch guardrail.margin {
        case .absolute(let margin): text.size(margin)
        case .relative(let share): percentText(share)
        }
      return [
        .text(guardrail.metric.name), .text(guardrail.variant), textCell(margin),
        textCell(text.difference(guardrail.difference)), textCell(liftText(guardrail.lift)),
        .text(guardrail.state.rawValue), .probability(guardrail.p),
      ]
    })
}

private func sizeSection(_ readout: ExperimentReadout) -> ExperimentSection {
  let wanted = liftText(readout.plan.minimumLift) ?? ""
  return ExperimentSection(
    "Detectable effects",
    sentences: [
      "Found in 4 of 5 cases at the present size, in one look and under daily looks; and what a lift of \(wanted) "
        + "still needs under the rule that decides."
    ],
    columns: [
      ReportColumn("metric", .key), ReportColumn("variant", .key), .figure("in_one_look"), .figure("under_daily_looks"),
      .figure("as_lift"), .figure("persons_needed"), .figure("a_day"), .figure("days_needed"),
    ],
    rows: readout.sizes.map { size in
      let text =
        readout.metrics.first { $0.metric.name == size.metric.name }.map(MetricText.init)
        ?? MetricText(size.metric.unit, halfWidth: nil)
      return [
        .text(size.metric.name), .text(size.variant), textCell(text.size(size.detectable)),
        textCell(text.size(size.detectableSequentially)), textCell(size.detectableLift.flatMap(liftText)),
        textCell(size.usersNeeded.flatMap { $0 < 1e12 ? countText(Int($0)) : nil }), .text(fixed(size.usersPerDay, 1)),
        textCell(size.daysNeeded.flatMap { $0 < 1e9 ? countText(Int($0)) : nil }),
      ]
    })
}

private func overTimeSection(_ readout: ExperimentReadout) -> ExperimentSection {
  let text = readout.primary.map(MetricText.init) ?? MetricText(.share, halfWidth: nil)
  return ExperimentSection(
    "\(readout.primary?.metric.name ?? "") by day of data",
    columns: [
      ReportColumn("known_before", .key), ReportColumn("variant", .key), ReportColumn("n_control", .count),
      ReportColumn("n", .count), .figure("difference"), .figure("always_valid"), .figure("p_always_valid"),
    ],
    rows: readout.overTime.flatMap { point in
      point.comparisons.map { comparison in
        [
          .text(instantText(point.instant)), .text(comparison.variant), .count(comparison.controlPersons),
          .count(comparison.treatmentPersons), textCell(text.difference(comparison.difference)),
          textCell(
            text.bounds(comparison.sequential.interval)
              ?? comparison.sequential.liftInterval.flatMap(liftBoundsText).map { "lift \($0)" }),
          .probability(comparison.sequential.p),
        ]
      }
    })
}

private func sliceSection(_ readout: ExperimentReadout) -> ExperimentSection {
  let size = readout.slices.first?.metric.familySize ?? 1
  return ExperimentSection(
    "\(readout.primary?.metric.name ?? "") by \(readout.by.joined(separator: ", "))",
    sentences: ["Intervals hold for all \(size) comparisons together; p by Holm's method. No slice has a verdict."],
    columns: readout.by.map { ReportColumn($0, .key) } + [ReportColumn("variant", .key)] + [
      ReportColumn("n", .count), ReportColumn("events", .count), .figure("value"), .figure("difference"),
      .figure("one_look"), .figure("always_valid"), .figure("p_always_valid"),
    ],
    rows: readout.slices.flatMap { slice in
      let text = MetricText(slice.metric)
      return slice.metric.arms.enumerated().map { place, arm -> [ReportValue] in
        let comparison = place == 0 ? nil : slice.metric.comparisons[place - 1]
        let cells = comparisonCells(comparison, text, isControl: place == 0)
        return slice.values.map(ReportValue.text) + [
          .text(readout.arms[place].variant), .count(arm.persons), .count(arm.events),
          textCell(text.value(arm.estimate)),
          cells[0], cells[1], cells[2], cells[6],
        ]
      }
    })
}

/// A number with so many decimals.
func fixed(_ value: Double, _ decimals: Int) -> String {
  scaledHalfToEven(value, decimals: decimals).map { fixedPointText($0, decimals: decimals, isGrouped: true) }
    ?? undefinedMark
}

/// Milliseconds as days, such as `10 d`.
func daysText(_ milliseconds: Int64) -> String {
  let days = Double(milliseconds) / 86_400_000
  return days == days.rounded() ? "\(Int(days)) d" : "\(fixed(days, 1)) d"
}
