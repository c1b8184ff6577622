import Metrics
import Statistics

/// The rows of everything besides the verdict and the metrics.
extension ExperimentRows {
  var incidence: [ExperimentRow] {
    guard let incidence = readout.incidence else { return [] }
    let counts = zip(readout.arms, incidence.arms).flatMap { arm, counts in
      [
        ("started", counts.started), ("converted", counts.converted), ("lapsed", counts.lapsed),
        ("pending", counts.pending),
      ].map { measure, count in
        ExperimentRow("trial_to_paid", metric: incidence.metric, variant: arm.variant).with(measure, .count(count))
      }
    }
    let whole = ExperimentRow("trial_to_paid", metric: incidence.metric)
    var gray = whole
    (gray.method, gray.golden, gray.isAlwaysValid) = ("gray", "competing_risks", false)
    if incidence.gray == nil { gray.reason = "too few conversions" }
    return counts + [
      whole.with("horizon_days", .number(Double(incidence.horizon) / 86_400_000)),
      gray.with("gray_chi_square", .number(incidence.gray?.chiSquare)),
      gray.with("gray_p", .probability(incidence.gray?.p)),
    ]
  }

  var revenue: [ExperimentRow] {
    readout.revenue.flatMap { split in
      zip(readout.arms, split.arms).flatMap { arm, part in
        [
          ("revenue", ReportValue.number(part.revenue), split.currency),
          ("conversion", .rate(part.conversion), "share"),
          ("revenue_per_payer", .number(part.revenuePerPayer), split.currency),
          ("revenue_per_person", .number(part.revenuePerPerson), split.currency),
          ("conversion_lift", .rate(part.conversionLift), "share"),
          ("revenue_per_payer_lift", .rate(part.revenuePerPayerLift), "share"),
          ("revenue_per_person_lift", .rate(part.revenueLift), "share"),
        ].filter { !($0.0.hasSuffix("_lift") && arm.variant == readout.arms[0].variant) }.map { measure, value, unit in
          ExperimentRow("revenue", metric: "revenue:\(split.currency)", variant: arm.variant)
            .with(measure, value, unit: unit) { ($0.persons, $0.events) = (part.persons, part.payers) }
        }
      }
    }
  }

  /// The rows of `value_12`, unless a metric has that name.
  var longTerm: [ExperimentRow] {
    guard let longTerm = readout.longTerm, !readout.metrics.contains(where: { $0.metric.baseName == "value_12" }) else {
      return []
    }
    func row(_ measure: String, _ variant: String, _ value: Double?, _ interval: Interval?) -> ExperimentRow {
      ExperimentRow("metrics", metric: "value_12", variant: variant).with(
        measure, .number(value), interval, unit: ReadoutText(readout).currency, method: longTerm.basis?.rawValue
      ) {
        $0.reason = value == nil ? longTerm.reason ?? "not known yet" : ""
        ($0.role, $0.direction) = (MetricRole.longTerm.rawValue, ExperimentMetric.Direction.up.rawValue)
      }
    }
    if longTerm.basis == nil { return [row("mean", "", nil, nil)] }
    return zip(readout.arms.indices, zip(longTerm.values, longTerm.intervals)).map { place, value in
      row("mean", readout.arms[place].variant, value.0, value.1)
    }
      + zip(readout.treatments, zip(longTerm.differences, longTerm.differenceIntervals)).map { variant, value in
        row("difference", variant, value.0, value.1)
      }
  }

  var guardrails: [ExperimentRow] {
    readout.guardrails.map { guardrail in
      let unit = guardrail.metric.unit
      return ExperimentRow("guardrails", metric: guardrail.metric.name, variant: guardrail.variant).with(
        "state", number(guardrail.difference, unit), unit: unitText(unit), method: "interval"
      ) { row in
        (row.text, row.level) = (guardrail.state.rawValue, readout.plan.level)
        switch guardrail.margin {
        case .absolute(let margin): row.margin = margin
        case .relative(let margin):
          (row.margin, row.unit, row.value) = (margin, "share of the control", .rate(guardrail.lift))
        case nil: break
        }
      }
    }
  }

  /// The unadjusted, history-adjusted and capped results of metrics with more than one of them.
  var adjustments: [ExperimentRow] {
    readout.metrics.flatMap { metric -> [ExperimentRow] in
      zip(readout.treatments, metric.comparisons).enumerated().flatMap { place, pair -> [ExperimentRow] in
        let (variant, comparison) = pair
        let twin = readout.metrics.first {
          $0.capped != nil && $0.metric.unit == metric.metric.unit && metric.metric.baseName == "revenue"
        }
        guard metric.capped == nil, comparison.covariate != nil || twin != nil else { return [] }
        func row(_ measure: String, _ value: Double?, _ interval: Interval?, _ method: String) -> ExperimentRow {
          let unit = metric.metric.unit
          return base("adjustments", metric, variant: variant).with(
            measure, number(value, unit), interval, unit: unitText(unit), method: method
          ) { $0.isAlwaysValid = false }
        }
        var rows = [row("plain", comparison.difference, comparison.interval, comparison.method)]
        if let reading = comparison.covariate {
          var own = row("cuped", reading.adjustment?.difference, reading.adjustment?.interval, "cuped")
          own.golden = "cuped"
          own.reason = reading.reason.map { "not applicable: \($0)" } ?? ""
          rows.append(own)
        }
        if let twin, let capped = twin.capped {
          var own = row(
            "capped", twin.comparisons[place].difference, twin.comparisons[place].interval, comparison.method)
          (own.margin, own.events) = (capped.cap, capped.persons)
          own.text = "margin has the cap, events the users above it"
          rows.append(own)
        }
        return rows
      }
    }
  }

  /// Each pair of variants; the first has the larger estimate in the good direction (D7.1).
  var pairs: [ExperimentRow] {
    guard let ranking = readout.ranking, let metric = readout.primary else { return [] }
    return readout.listedPairs.map { pair in
      let (first, second) = (readout.arms[pair.first].variant, readout.arms[pair.second].variant)
      return base("pairs", metric, variant: first, slice: second).with("p", .probability(pair.p), method: "holm") {
        ($0.isAlwaysValid, $0.text) = (true, pair.isShown ? "better" : "not told apart")
        $0.familySize = [pair.first, pair.second].contains(0) ? metric.familySize : ranking.pairs.count
      }
    }
  }

  var segments: [ExperimentRow] {
    guard let metric = readout.primary else { return [] }
    return readout.segments.flatMap { segments -> [ExperimentRow] in
      func base(_ slice: String) -> ExperimentRow {
        var row = self.base("segments", metric, variant: segments.variant, slice: slice)
        row.isAlwaysValid = false
        return row
      }
      func upTo(_ high: Double?) -> Interval? { high.map { Interval(low: 0, high: $0) } }
      let high = segments.differenceHigh
      var whole = base(segments.dimension)
      whole.text = segments.answer.rawValue
      return [
        whole.with("interaction_p", .probability(segments.p), method: "cochran_q"),
        whole.with("spread", .number(segments.spreadHigh), upTo(segments.spreadHigh), method: "q_profile"),
        whole.with("largest_difference", .rate(high), upTo(high), unit: "share", method: "pairs"),
      ]
        + segments.segments.flatMap { segment -> [ExperimentRow] in
          let (own, unit) = (base("\(segments.dimension)=\(segment.value)"), metric.metric.unit)
          return [
            own.with("difference", number(segment.difference, unit), segment.interval, unit: unitText(unit)) {
              $0.persons = segment.control.users + segment.treatment.users
              $0.events = segment.control.outcomes + segment.treatment.outcomes
              ($0.text, $0.isAlwaysValid) = (segment.isOpposite ? "opposite" : "", true)
            },
            own.with("lift", .rate(segment.lift), unit: "share"),
          ]
        }
    }
  }

  var trend: [ExperimentRow] {
    guard let trend = readout.trend, let metric = readout.primary else { return [] }
    var base = base("trend", metric, variant: trend.variant)
    (base.method, base.isAlwaysValid) = ("weighted_slope", false)
    let half = 1.959_963_984_540_054 * trend.standardError
    return slope(
      trend.slope, half: half, p: trend.p, trend.hasReversed ? "reverses" : trend.answer.rawValue, base, metric)
      + trend.weeks.map { week in
        var own = base
        own.slice = String(instantText(Int64(week.day) * 86_400_000).prefix(10))
        own.persons = week.control.users + week.treatment.users
        own.isAlwaysValid = true
        return own.with(
          "difference", number(week.difference, metric.metric.unit), week.interval, unit: unitText(metric.metric.unit))
      }
  }

  /// The slope of a trend with its test.
  private func slope(
    _ slope: Double, half: Double, p: Double, _ answer: String, _ base: ExperimentRow, _ metric: MetricReadout
  ) -> [ExperimentRow] {
    let (unit, interval) = (metric.metric.unit, Interval(around: slope, half: half))
    return [
      base.with("slope", number(slope, unit), interval, unit: "\(unitText(unit)) a week") { $0.text = answer },
      base.with("p", .probability(p)),
    ]
  }

  /// The trend by weeks since the exposure.
  var within: [ExperimentRow] {
    guard let within = readout.within, let metric = readout.primary else { return [] }
    var base = base("trend", metric, variant: within.variant, slice: "since_exposure")
    (base.method, base.isAlwaysValid, base.persons) = ("welch_contrast", false, within.users)
    let half = StudentDistribution.criticalValue(confidence: 0.95, degrees: within.degrees) * within.standardError
    return slope(within.slope, half: half, p: within.p, within.answer.rawValue, base, metric)
      + [within.first, within.last].map { week in
        let unit = metric.metric.unit
        return base.with("difference", number(week.difference, unit), unit: unitText(unit)) {
          $0.slice = "since_exposure=week \(week.number)"
        }
      }
  }

  var sizes: [ExperimentRow] {
    readout.sizes.flatMap { size in
      let unit = size.metric.unit
      return [
        ("detectable_in_one_look", number(size.detectable, unit), unitText(unit)),
        ("detectable_under_daily_looks", number(size.detectableSequentially, unit), unitText(unit)),
        ("detectable_lift", .rate(size.detectableLift), "share"),
        ("persons_needed", ReportValue.number(size.usersNeeded), ""),
        ("persons_a_day", .number(size.usersPerDay), ""), ("days_needed", .number(size.daysNeeded), ""),
      ].map { measure, value, unit in
        ExperimentRow("sizes", metric: size.metric.name, variant: size.variant)
          .with(measure, value, unit: unit, golden: "power") {
            if measure.hasSuffix("needed") { $0.margin = size.wantedLift }
            $0.reason = size.reason ?? ""
          }
      }
    }
  }

  var overTime: [ExperimentRow] {
    guard let metric = readout.primary?.metric else { return [] }
    return readout.overTime.flatMap { point in
      point.comparisons.map { comparison in
        let reading = comparison.sequential
        let slice = instantText(point.instant)
        return ExperimentRow("over_time", metric: metric.name, variant: comparison.variant, slice: slice).with(
          "difference_always_valid", number(comparison.difference, metric.unit), reading.interval,
          unit: unitText(metric.unit), method: reading.method.rawValue
        ) {
          $0.persons = comparison.controlPersons + comparison.treatmentPersons
          ($0.isAlwaysValid, $0.informationFraction) = (true, reading.informationFraction)
          $0.reason = reading.interval == nil ? reading.reason ?? "" : ""
        }
      }
    }
  }
}
