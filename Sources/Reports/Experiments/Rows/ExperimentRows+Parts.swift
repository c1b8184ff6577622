import Metrics
import Statistics

/// The rows of everything besides the verdict and the metrics.
extension ExperimentRows {
  var incidence: [ExperimentRow] {
    guard let incidence = readout.incidence else { return [] }
    var rows: [ExperimentRow] = []
    for (arm, counts) in zip(readout.arms, incidence.arms) {
      for (measure, count) in [
        ("started", counts.started), ("converted", counts.converted), ("lapsed", counts.lapsed),
        ("pending", counts.pending),
      ] {
        var row = ExperimentRow("trial_to_paid", measure)
        (row.metric, row.variant, row.value) = (incidence.metric, arm.variant, .count(count))
        rows.append(row)
      }
    }
    for (measure, value) in [
      ("horizon_days", ReportValue.number(Double(incidence.horizon) / 86_400_000)),
      ("gray_chi_square", .number(incidence.gray?.chiSquare)), ("gray_p", .probability(incidence.gray?.p)),
    ] {
      var row = ExperimentRow("trial_to_paid", measure)
      (row.metric, row.value) = (incidence.metric, value)
      if measure != "horizon_days" {
        (row.method, row.golden, row.isAlwaysValid) = ("gray", "competing_risks", false)
        if incidence.gray == nil { row.reason = "too few conversions" }
      }
      rows.append(row)
    }
    return rows
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
          var row = ExperimentRow("revenue", measure)
          (row.metric, row.variant, row.value, row.unit) = ("revenue:\(split.currency)", arm.variant, value, unit)
          (row.persons, row.events) = (part.persons, part.payers)
          return row
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
      var row = ExperimentRow("metrics", measure)
      (row.metric, row.variant, row.value, row.interval) = ("value_12", variant, .number(value), interval)
      (row.unit, row.method, row.reason) = (
        ReadoutText(readout).currency, longTerm.basis?.rawValue ?? "",
        value == nil ? longTerm.reason ?? "not known yet" : ""
      )
      (row.role, row.direction) = (MetricRole.longTerm.rawValue, ExperimentMetric.Direction.up.rawValue)
      return row
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
      var row = ExperimentRow("guardrails", "state")
      row.metric = guardrail.metric.name
      row.variant = guardrail.variant
      row.text = guardrail.state.rawValue
      row.value = number(guardrail.difference, guardrail.metric.unit)
      row.level = readout.plan.level
      row.unit = unitText(guardrail.metric.unit)
      switch guardrail.margin {
      case .absolute(let margin): row.margin = margin
      case .relative(let margin):
        (row.margin, row.unit, row.value) = (margin, "share of the control", .rate(guardrail.lift))
      case nil: break
      }
      row.method = "interval"
      return row
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
          var row = base("adjustments", metric)
          (row.measure, row.variant, row.method) = (measure, variant, method)
          (row.value, row.interval) = (number(value, metric.metric.unit), interval)
          (row.unit, row.isAlwaysValid) = (unitText(metric.metric.unit), false)
          return row
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
      var row = base("pairs", metric)
      (row.measure, row.variant) = ("p", readout.arms[pair.first].variant)
      row.slice = readout.arms[pair.second].variant
      (row.value, row.method, row.isAlwaysValid) = (.probability(pair.p), "holm", true)
      row.text = pair.isShown ? "better" : "not told apart"
      row.familySize = [pair.first, pair.second].contains(0) ? metric.familySize : ranking.pairs.count
      return row
    }
  }

  var segments: [ExperimentRow] {
    guard let metric = readout.primary else { return [] }
    return readout.segments.flatMap { segments -> [ExperimentRow] in
      func row(_ measure: String, _ slice: String) -> ExperimentRow {
        var row = base("segments", metric)
        (row.measure, row.variant, row.slice, row.isAlwaysValid) = (measure, segments.variant, slice, false)
        return row
      }
      var test = row("interaction_p", segments.dimension)
      (test.value, test.method, test.text) = (.probability(segments.p), "cochran_q", segments.answer.rawValue)
      var spread = row("spread", segments.dimension)
      (spread.value, spread.method, spread.text) = (.number(segments.spreadHigh), "q_profile", segments.answer.rawValue)
      spread.interval = segments.spreadHigh.map { Interval(low: 0, high: $0) }
      var largest = row("largest_difference", segments.dimension)
      (largest.value, largest.unit, largest.method) = (.rate(segments.differenceHigh), "share", "pairs")
      largest.interval = segments.differenceHigh.map { Interval(low: 0, high: $0) }
      largest.text = segments.answer.rawValue
      return [test, spread, largest]
        + segments.segments.flatMap { segment -> [ExperimentRow] in
          let slice = "\(segments.dimension)=\(segment.value)"
          var difference = row("difference", slice)
          difference.value = number(segment.difference, metric.metric.unit)
          (difference.interval, difference.unit) = (segment.interval, unitText(metric.metric.unit))
          difference.persons = segment.control.users + segment.treatment.users
          difference.events = segment.control.outcomes + segment.treatment.outcomes
          difference.text = segment.isOpposite ? "opposite" : ""
          difference.isAlwaysValid = true
          var lift = row("lift", slice)
          (lift.value, lift.unit) = (.rate(segment.lift), "share")
          return [difference, lift]
        }
    }
  }

  var trend: [ExperimentRow] {
    guard let trend = readout.trend, let metric = readout.primary else { return [] }
    func row(_ measure: String, _ value: ReportValue, slice: String = "") -> ExperimentRow {
      var row = base("trend", metric)
      (row.measure, row.variant, row.value, row.slice) = (measure, trend.variant, value, slice)
      (row.method, row.isAlwaysValid) = ("weighted_slope", false)
      return row
    }
    var slope = row("slope", number(trend.slope, metric.metric.unit))
    (slope.unit, slope.text) = (
      "\(unitText(metric.metric.unit)) a week", trend.hasReversed ? "reverses" : trend.answer.rawValue
    )
    let half = 1.959_963_984_540_054 * trend.standardError
    slope.interval = Interval(around: trend.slope, half: half)
    return [slope, row("p", .probability(trend.p))]
      + trend.weeks.map { week in
        var own = row(
          "difference", number(week.difference, metric.metric.unit),
          slice: String(instantText(Int64(week.day) * 86_400_000).prefix(10)))
        own.persons = week.control.users + week.treatment.users
        own.unit = unitText(metric.metric.unit)
        (own.interval, own.isAlwaysValid) = (week.interval, true)
        return own
      }
  }

  /// The trend by weeks since the exposure.
  var within: [ExperimentRow] {
    guard let within = readout.within, let metric = readout.primary else { return [] }
    func row(_ measure: String, _ value: ReportValue, slice: String = "since_exposure") -> ExperimentRow {
      var row = base("trend", metric)
      (row.measure, row.variant, row.value, row.slice) = (measure, within.variant, value, slice)
      (row.method, row.isAlwaysValid, row.persons) = ("welch_contrast", false, within.users)
      return row
    }
    var slope = row("slope", number(within.slope, metric.metric.unit))
    (slope.unit, slope.text) = ("\(unitText(metric.metric.unit)) a week", within.answer.rawValue)
    let half = StudentDistribution.criticalValue(confidence: 0.95, degrees: within.degrees) * within.standardError
    slope.interval = Interval(around: within.slope, half: half)
    return [slope, row("p", .probability(within.p))]
      + [within.first, within.last].map { week in
        var own = row(
          "difference", number(week.difference, metric.metric.unit), slice: "since_exposure=week \(week.number)")
        own.unit = unitText(metric.metric.unit)
        return own
      }
  }

  var sizes: [ExperimentRow] {
    readout.sizes.flatMap { size in
      [
        ("detectable_in_one_look", number(size.detectable, size.metric.unit)),
        ("detectable_under_daily_looks", number(size.detectableSequentially, size.metric.unit)),
        ("detectable_lift", .rate(size.detectableLift)), ("persons_needed", ReportValue.number(size.usersNeeded)),
        ("persons_a_day", .number(size.usersPerDay)), ("days_needed", .number(size.daysNeeded)),
      ].map { measure, value in
        var row = ExperimentRow("sizes", measure)
        (row.metric, row.variant, row.value) = (size.metric.name, size.variant, value)
        if ["detectable_in_one_look", "detectable_under_daily_looks"].contains(measure) {
          row.unit = unitText(size.metric.unit)
        } else if measure == "detectable_lift" {
          row.unit = "share"
        }
        row.golden = "power"
        if measure.hasSuffix("needed") { row.margin = size.wantedLift }
        row.reason = size.reason ?? ""
        return row
      }
    }
  }

  var overTime: [ExperimentRow] {
    guard let metric = readout.primary?.metric else { return [] }
    return readout.overTime.flatMap { point in
      point.comparisons.map { comparison in
        var row = ExperimentRow("over_time", "difference_always_valid")
        (row.metric, row.variant, row.slice) = (metric.name, comparison.variant, instantText(point.instant))
        row.value = number(comparison.difference, metric.unit)
        row.interval = comparison.sequential.interval
        row.unit = unitText(metric.unit)
        row.persons = comparison.controlPersons + comparison.treatmentPersons
        row.method = comparison.sequential.method.rawValue
        row.isAlwaysValid = true
        row.informationFraction = comparison.sequential.informationFraction
        row.reason = comparison.sequential.interval == nil ? comparison.sequential.reason ?? "" : ""
        return row
      }
    }
  }
}
