import Metrics
import Statistics

/// The rows of metrics and slices.
extension ExperimentRows {
  var metrics: [ExperimentRow] {
    readout.metrics.flatMap { rows("metrics", $0, slice: "") }
  }

  var slices: [ExperimentRow] {
    readout.slices.flatMap { slice in
      rows(
        "slices", slice.metric,
        slice: zip(readout.by, slice.values).map { "\($0)=\($1)" }.joined(separator: ","))
    }
  }

  /// Returns the columns common to all rows of a metric.
  func base(_ section: String, _ metric: MetricReadout) -> ExperimentRow {
    var row = ExperimentRow(section, "")
    row.metric = metric.metric.name
    row.role = metric.role.rawValue
    row.direction = metric.metric.goodDirection?.rawValue ?? ""
    row.conditionalOn = metric.conditionalOn ?? ""
    return row
  }

  func rows(_ section: String, _ metric: MetricReadout, slice: String) -> [ExperimentRow] {
    if let absence = metric.absence {
      var row = base(section, metric)
      row.measure = metric.metric.unit == .share ? "rate" : "mean"
      (row.slice, row.reason) = (slice, absence)
      return [row]
    }
    return metric.arms.enumerated().flatMap { place, arm -> [ExperimentRow] in
      var base = base(section, metric)
      base.variant = readout.arms[place].variant
      base.slice = slice
      base.level = metric.confidence
      base.persons = arm.persons
      base.events = arm.events
      base.familySize = metric.familySize
      base.unit = unitText(metric.metric.unit)
      if metric.metric.kind == .incidence { base.atRisk = arm.persons }
      return armRows(base, metric, arm)
        + (place == 0 ? [] : comparisonRows(base, metric, metric.comparisons[place - 1]))
    }
  }

  func armRows(_ base: ExperimentRow, _ metric: MetricReadout, _ arm: ArmResult) -> [ExperimentRow] {
    var value = base
    value.measure = metric.metric.unit == .share ? "rate" : "mean"
    value.value = number(arm.estimate, metric.metric.unit)
    value.interval = arm.interval
    value.method =
      switch metric.metric.kind {
      case .proportion: "wilson"
      case .mean: "student"
      case .ratio: "ratio_delta"
      case .incidence: "aalen_johansen_cloglog"
      }
    value.golden = metric.metric.kind == .proportion ? "binomial_interval" : ""
    value.reason = arm.reason ?? ""
    var immature = base
    immature.measure = "immature"
    immature.unit = ""
    immature.value = .count(arm.immature)
    var rows = [value, immature]
    if let chance = arm.chanceBest {
      var row = base
      (row.measure, row.value, row.unit) = ("chance_best", .probability(chance), "")
      row.method = posterior(metric)
      row.isAlwaysValid = false
      rows.append(row)
    }
    if let loss = arm.expectedLoss {
      var row = base
      (row.measure, row.value, row.method) = ("expected_loss", number(loss, metric.metric.unit), posterior(metric))
      row.isAlwaysValid = false
      rows.append(row)
    }
    return rows
  }

  func posterior(_ metric: MetricReadout) -> String {
    metric.metric.kind == .proportion ? "beta_binomial" : "normal_posterior"
  }

  func comparisonRows(
    _ base: ExperimentRow, _ metric: MetricReadout, _ comparison: ArmComparison
  ) -> [ExperimentRow] {
    var rows: [ExperimentRow] = []
    func add(_ measure: String, _ change: (inout ExperimentRow) -> Void) {
      var row = base
      row.measure = measure
      row.method = comparison.method
      row.golden = comparison.golden
      row.reason = comparison.reason ?? ""
      change(&row)
      rows.append(row)
    }
    add("difference") {
      $0.value = number(comparison.difference, metric.metric.unit)
      $0.interval = comparison.interval
      $0.isAlwaysValid = false
    }
    let reading = comparison.sequential
    let fraction = reading.stoppedInformationFraction ?? reading.informationFraction
    add("difference_always_valid") {
      $0.value = number(comparison.decisionDifference, metric.metric.unit)
      $0.interval = reading.interval
      $0.method = reading.method.rawValue
      $0.golden = golden(reading.method)
      $0.isAlwaysValid = reading.method != .once && reading.method != .none
      $0.informationFraction = fraction
      $0.text = reading.stoppedDaysBefore.map { "stopped \($0) d before the end of the data" } ?? ""
      $0.reason = reading.interval == nil ? reading.reason ?? comparison.reason ?? "the method has no difference" : ""
    }
    add("lift") {
      $0.value = .rate(comparison.lift)
      $0.interval = comparison.liftInterval
      $0.unit = "share"
      $0.method = metric.metric.kind == .proportion ? "miettinen_nurminen_ratio" : "fieller"
      $0.reason = comparison.liftReason ?? comparison.reason ?? ""
      $0.isAlwaysValid = false
    }
    add("lift_always_valid") {
      $0.value = .rate(comparison.lift)
      $0.interval = reading.liftInterval
      $0.unit = "share"
      $0.method = reading.method.rawValue
      $0.golden = golden(reading.method)
      $0.isAlwaysValid = reading.method != .once && reading.method != .none
      $0.reason =
        reading.liftInterval == nil
        ? reading.reason ?? comparison.reason ?? "control is not distinguishable from 0"
        : reading.liftInterval.map { $0.high.isFinite ? "" : "unbounded above: no outcome in the control" } ?? ""
    }
    if let composition = comparison.composition {
      add("composition") {
        ($0.interval, $0.unit, $0.isAlwaysValid) = (composition, unitText(metric.metric.unit), false)
        ($0.method, $0.golden) = ("principal_strata_bounds", "")
        $0.text =
          "difference for users who would \(metric.conditionalOn == "payers" ? "pay" : "start a trial") in either variant"
      }
    }
    if let difference = comparison.perExposedDifference {
      add("per_exposed_difference") {
        ($0.value, $0.unit, $0.isAlwaysValid) = (.rate(difference), "share", false)
        ($0.method, $0.golden) = ("difference_of_shares", "")
      }
    }
    add("p") {
      ($0.value, $0.unit, $0.isAlwaysValid) = (.probability(comparison.p), "", false)
    }
    add("p_always_valid") {
      $0.value = .probability(comparison.decisionP)
      $0.unit = ""
      $0.method = reading.method.rawValue
      $0.golden = golden(reading.method)
      $0.isAlwaysValid = reading.method != .once && reading.method != .none
      $0.informationFraction = fraction
      $0.text = reading.isSignificant ? "significant" : ""
      $0.reason = comparison.decisionP == nil ? reading.reason ?? comparison.reason ?? "" : ""
    }
    if let chance = comparison.chanceToBeat {
      add("chance_to_beat") {
        ($0.value, $0.unit, $0.method, $0.isAlwaysValid) = (.probability(chance), "", posterior(metric), false)
        $0.golden = metric.metric.kind == .proportion ? "beta_binomial" : ""
      }
    }
    if let loss = comparison.expectedLoss {
      add("expected_loss_against_control") {
        $0.value = number(loss, metric.metric.unit)
        ($0.method, $0.isAlwaysValid) = (posterior(metric), false)
        $0.golden = metric.metric.kind == .proportion ? "beta_binomial" : ""
      }
    }
    if let reading = comparison.covariate {
      add("difference_cuped") {
        $0.value = number(reading.adjustment?.difference, metric.metric.unit)
        $0.interval = reading.adjustment?.interval
        ($0.method, $0.golden, $0.isAlwaysValid) = ("cuped", "cuped", false)
        $0.text = "adjusted by \(reading.covariate)"
        $0.reason = reading.reason.map { "not applicable: \($0)" } ?? ""
      }
    }
    if let adjustment = comparison.covariate?.adjustment {
      add("p_cuped") {
        ($0.value, $0.unit, $0.isAlwaysValid) = (.probability(adjustment.twoSidedP), "", false)
        ($0.method, $0.golden) = ("cuped", "cuped")
      }
      add("variance_reduction_cuped") {
        ($0.value, $0.unit) = (.rate(adjustment.varianceReduction), "share")
        ($0.method, $0.golden) = ("cuped", "cuped")
      }
    }
    if let test = comparison.logRank {
      add("log_rank_p") {
        ($0.value, $0.unit, $0.isAlwaysValid) = (.probability(test.p), "", false)
        ($0.method, $0.golden) = ("log_rank", "survival_logrank")
        $0.text = "chi-square \(fixed(test.chiSquare, 6)) on \(test.degrees) df"
      }
    }
    if let interval = comparison.bootstrap {
      add("difference_bootstrap") {
        $0.value = number(comparison.difference, metric.metric.unit)
        $0.interval = interval
        ($0.method, $0.golden, $0.isAlwaysValid) = ("bootstrap_t", "heavy_tail", false)
      }
    }
    return rows
  }

  func golden(_ method: SequentialReading.Method) -> String {
    switch method {
    case .asymptoticSequence: "asymp_cs"
    case .conversionShare: "bernoulli_cs"
    case .groupSequential: "group_sequential"
    case .once, .none: ""
    }
  }
}
