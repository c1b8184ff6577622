import Metrics
import Statistics

func incidenceSection(_ readout: ExperimentReadout, _ incidence: IncidenceReadout) -> ExperimentSection {
  let metric = readout.metrics.first { $0.metric.name == incidence.metric }
  let text = metric.map(MetricText.init) ?? MetricText(.share)
  let days = daysText(incidence.horizon)
  var sentences = [
    "Share of trials that convert within \(days) of their start (trial length and grace); open trials "
      + "count for as long as they were observed."
  ]
  if let gray = incidence.gray {
    sentences.append(
      "Gray's test over all times: χ² = \(fixed(gray.chiSquare, 2)) on \(gray.degrees) df, \(probabilityClause(gray.p))."
    )
  } else {
    sentences.append("Gray's test: not estimable, too few conversions.")
  }
  return ExperimentSection(
    .trialToPaid, "Trial to paid", sentences: sentences,
    columns: .keys("variant").counts("trials", "converted", "lapsed", "pending")
      .figures("incidence", "difference", "one_look", "p"),
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

func revenueSection(_ readout: ExperimentReadout) -> ExperimentSection {
  ExperimentSection(
    .revenue, "Revenue = conversion × revenue per payer",
    sentences: [
      "Net, within 30 d of the exposure, by currency. The lifts of conversion and of revenue per payer multiply to the lift of revenue."
    ],
    columns: .keys("currency", "variant").counts("users", "payers")
      .figures("conversion", "conversion_lift", "per_payer", "per_payer_lift", "per_user", "per_user_lift"),
    rows: readout.revenue.flatMap { split in
      split.arms.enumerated().map { place, arm in
        let text = MetricText(.money(currency: split.currency))
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

func guardrailSection(_ readout: ExperimentReadout) -> ExperimentSection {
  ExperimentSection(
    .guardrails, "Guardrails",
    sentences: [
      "Each state comes from the interval that decides. Without a margin, a guardrail fails only if it is shown to be "
        + "worse."
    ],
    columns: .keys("metric", "variant").figures("margin", "difference", "lift").texts("state"),
    rows: readout.guardrails.map { guardrail in
      let text = readout.text(of: guardrail.metric)
      let margin: String? =
        switch guardrail.margin {
        case .absolute(let margin): text.size(margin)
        case .relative(let share): chosenShare(share)
        case nil: "none"
        }
      let state =
        switch guardrail.state {
        case .holds where guardrail.margin == nil && readout.isWithheld(guardrail): "too few"
        case .holds: guardrail.margin == nil ? "no harm shown" : "holds"
        case .failed: "failed"
        case .open: "not shown to hold"
        }
      return [
        .text(guardrail.metric.readerName), .text(guardrail.variant), textCell(margin),
        textCell(text.difference(guardrail.difference)), textCell(liftText(guardrail.lift)), .text(state),
      ]
    })
}

extension ExperimentReadout {
  /// Whether too few users have the guardrail's outcome to say anything of it.
  fileprivate func isWithheld(_ guardrail: GuardrailReadout) -> Bool {
    guard let metric = metrics.first(where: { $0.metric.name == guardrail.metric.name }),
      let treatment = arms.dropFirst().firstIndex(where: { $0.variant == guardrail.variant }),
      metric.comparisons.indices.contains(treatment - 1)
    else { return false }
    return metric.comparisons[treatment - 1].standing == .withheld
  }
}

func sizeSection(_ readout: ExperimentReadout) -> ExperimentSection {
  let wanted = chosenShare(readout.plan.minimumLift)
  return ExperimentSection(
    .sizes, "Detectable effects",
    sentences: [
      "The smallest effects that the current number of users finds with 80% power, in one look and at any look. Users "
        + "needed: to find a lift of \(wanted) under the rule that decides. A day: users of both variants per day, in the "
        + "last 14 days."
    ],
    columns: .keys("metric", "variant")
      .figures("in_one_look", "any_look", "as_lift", "users_needed", "a_day", "days_needed"),
    rows: readout.sizes.map { size in
      let text = readout.text(of: size.metric)
      // Of the goal, the size and the pace that the verdict names.
      let schedule = readout.schedule
      let isGoal = readout.treatments.count == 1 && size.metric.name == readout.primary?.metric.name
      let users = isGoal ? schedule.usersNeeded ?? size.usersNeeded : size.usersNeeded
      let pace = isGoal ? schedule.usersADay ?? size.usersPerDay : size.usersPerDay
      let days =
        isGoal && schedule.usersNeeded != nil
        ? users.flatMap { pace > 0 ? ($0 / pace).rounded(.up) + schedule.horizonDays : nil } : size.daysNeeded
      return [
        .text(size.metric.readerName), .text(size.variant), textCell(text.size(size.detectable)),
        textCell(text.size(size.detectableSequentially)), textCell(size.detectableLift.flatMap(liftText)),
        textCell(users.flatMap { $0 < 1e12 ? countText(Int($0)) : nil }), .text(dailyText(pace)),
        textCell(days.flatMap { $0 < 1e9 ? countText(Int($0)) : nil }),
      ]
    })
}

func overTimeSection(_ readout: ExperimentReadout) -> ExperimentSection {
  let text = readout.goalText
  return ExperimentSection(
    nil, "\(readout.goalName) by day of data",
    columns: .keys("known_before", "variant").counts("n_control", "n")
      .figures("difference", "always_valid", "p_always_valid"),
    rows: readout.overTime.flatMap { point in
      point.comparisons.map { comparison in
        [
          .text(String(instantText(point.instant).prefix(16)).replacing("T", with: " ")), .text(comparison.variant),
          .count(comparison.controlPersons),
          .count(comparison.treatmentPersons), textCell(text.difference(comparison.difference)),
          textCell(text.bounds(comparison.sequential)),
          .probability(comparison.sequential.p),
        ]
      }
    })
}

func sliceSection(_ readout: ExperimentReadout) -> ExperimentSection {
  let size = readout.slices.first?.metric.familySize ?? 1
  return ExperimentSection(
    nil, "\(readout.goalName) by \(readout.by.joined(separator: ", "))",
    sentences: [
      "Intervals hold for all \(size) comparisons together. Segments have no verdict of their own."
    ],
    columns: readout.by.map { ReportColumn($0, .key) }.keys("variant").counts("n", "events")
      .figures("value", "difference", "one_look", "always_valid"),
    rows: readout.slices.flatMap { slice in
      let text = MetricText(slice.metric)
      return slice.metric.arms.enumerated().map { place, arm -> [ReportValue] in
        let comparison = place == 0 ? nil : slice.metric.comparisons[place - 1]
        let cells = comparisonCells(comparison, text, isControl: place == 0)
        return slice.values.map(ReportValue.text) + [
          .text(readout.arms[place].variant), .count(arm.persons), .count(arm.events),
          textCell(text.value(arm.estimate)),
          cells[0], cells[1], cells[2],
        ]
      }
    })
}
