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
  func base(_ section: String, _ metric: MetricReadout, variant: String = "", slice: String = "") -> ExperimentRow {
    var row = ExperimentRow(section, metric: metric.metric.name, variant: variant, slice: slice)
    row.role = metric.role.rawValue
    row.direction = metric.metric.goodDirection?.rawValue ?? ""
    row.conditionalOn = metric.conditionalOn ?? ""
    return row
  }

  func rows(_ section: String, _ metric: MetricReadout, slice: String) -> [ExperimentRow] {
    if let absence = metric.absence {
      return [base(section, metric, slice: slice).with(level(metric)) { $0.reason = absence }]
    }
    return metric.arms.enumerated().flatMap { place, arm -> [ExperimentRow] in
      var base = base(section, metric, variant: readout.arms[place].variant, slice: slice)
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

  private func level(_ metric: MetricReadout) -> String { metric.metric.unit == .share ? "rate" : "mean" }

  func armRows(_ base: ExperimentRow, _ metric: MetricReadout, _ arm: ArmResult) -> [ExperimentRow] {
    let method =
      switch metric.metric.kind {
      case .proportion: "wilson"
      case .mean: "student"
      case .ratio: "ratio_delta"
      case .incidence: "aalen_johansen_cloglog"
      }
    var posterior = base
    (posterior.method, posterior.isAlwaysValid) = (self.posterior(metric), false)
    return [
      base.with(level(metric), number(arm.estimate, metric.metric.unit), arm.interval, method: method) {
        $0.golden = metric.metric.kind == .proportion ? "binomial_interval" : ""
        $0.reason = arm.reason ?? ""
      },
      base.with("immature", .count(arm.immature), unit: ""),
      arm.chanceBest.map { posterior.with("chance_best", .probability($0), unit: "") },
      arm.expectedLoss.map { posterior.with("expected_loss", number($0, metric.metric.unit)) },
    ].compactMap(\.self)
  }

  func posterior(_ metric: MetricReadout) -> String {
    metric.metric.kind == .proportion ? "beta_binomial" : "normal_posterior"
  }

  func comparisonRows(
    _ base: ExperimentRow, _ metric: MetricReadout, _ comparison: ArmComparison
  ) -> [ExperimentRow] {
    let (unit, reading) = (metric.metric.unit, comparison.sequential)
    let isProportion = metric.metric.kind == .proportion
    var base = base
    (base.method, base.golden, base.isAlwaysValid) = (comparison.method, comparison.golden, false)
    base.reason = comparison.reason ?? ""
    var always = base
    (always.method, always.golden) = (reading.method.rawValue, golden(reading.method))
    always.isAlwaysValid = reading.method != .once && reading.method != .none
    let fraction = reading.stoppedInformationFraction ?? reading.informationFraction
    var rows = [
      base.with("difference", number(comparison.difference, unit), comparison.interval),
      always.with("difference_always_valid", number(comparison.decisionDifference, unit), reading.interval) {
        $0.informationFraction = fraction
        $0.text = reading.stoppedDaysBefore.map { "stopped \($0) d before the end of the data" } ?? ""
        $0.reason = reading.interval == nil ? reading.reason ?? comparison.reason ?? "the method has no difference" : ""
      },
      base.with("lift", .rate(comparison.lift), comparison.liftInterval, unit: "share") {
        $0.method = isProportion ? "miettinen_nurminen_ratio" : "fieller"
        $0.reason = comparison.liftReason ?? comparison.reason ?? ""
      },
      always.with("lift_always_valid", .rate(comparison.lift), reading.liftInterval, unit: "share") {
        $0.reason =
          reading.liftInterval == nil
          ? reading.reason ?? comparison.reason ?? "control is not distinguishable from 0"
          : reading.liftInterval.map { $0.high.isFinite ? "" : "unbounded above: no outcome in the control" } ?? ""
      },
    ]
    func add(
      _ measure: String, _ value: ReportValue, _ interval: Interval? = nil, unit: String? = nil, method: String,
      golden: String = "", _ change: (inout ExperimentRow) -> Void = { _ in }
    ) {
      rows.append(base.with(measure, value, interval, unit: unit, method: method, golden: golden, change))
    }
    if let composition = comparison.composition {
      add("composition", .number(nil), composition, method: "principal_strata_bounds") {
        $0.text =
          "difference for users who would \(metric.conditionalOn == "payers" ? "pay" : "start a trial") in either variant"
      }
    }
    if let difference = comparison.perExposedDifference {
      add("per_exposed_difference", .rate(difference), unit: "share", method: "difference_of_shares")
    }
    rows.append(base.with("p", .probability(comparison.p), unit: ""))
    rows.append(
      always.with("p_always_valid", .probability(comparison.decisionP), unit: "") {
        $0.informationFraction = fraction
        $0.text = reading.isSignificant ? "significant" : ""
        $0.reason = comparison.decisionP == nil ? reading.reason ?? comparison.reason ?? "" : ""
      })
    let (posterior, beta) = (posterior(metric), isProportion ? "beta_binomial" : "")
    if let chance = comparison.chanceToBeat {
      add("chance_to_beat", .probability(chance), unit: "", method: posterior, golden: beta)
    }
    if let loss = comparison.expectedLoss {
      add("expected_loss_against_control", number(loss, unit), method: posterior, golden: beta)
    }
    if let reading = comparison.covariate {
      let adjustment = reading.adjustment
      add(
        "difference_cuped", number(adjustment?.difference, unit), adjustment?.interval, method: "cuped", golden: "cuped"
      ) {
        $0.text = "adjusted by \(reading.covariate)"
        $0.reason = reading.reason.map { "not applicable: \($0)" } ?? ""
      }
    }
    if let adjustment = comparison.covariate?.adjustment {
      add("p_cuped", .probability(adjustment.twoSidedP), unit: "", method: "cuped", golden: "cuped")
      add(
        "variance_reduction_cuped", .rate(adjustment.varianceReduction), unit: "share", method: "cuped", golden: "cuped"
      ) { $0.isAlwaysValid = nil }
    }
    if let test = comparison.logRank {
      add("log_rank_p", .probability(test.p), unit: "", method: "log_rank", golden: "survival_logrank") {
        $0.text = "chi-square \(fixed(test.chiSquare, 6)) on \(test.degrees) df"
      }
    }
    if let interval = comparison.bootstrap {
      add(
        "difference_bootstrap", number(comparison.difference, unit), interval, method: "bootstrap_t",
        golden: "heavy_tail")
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
