import Metrics
import Statistics

/// Returns a readout in long form, one value per row, for CSV and JSON.
///
/// Every value has its method, its number of users and, if it is not estimable, the reason.
func experimentRows(_ report: ExperimentReport) -> Report {
  Report(
    name: "experiment", title: "Experiment", definition: report.definition, parameters: report.parameters,
    asOf: report.asOf, columns: ExperimentRow.columns,
    rows: report.readouts.flatMap { ExperimentRows($0).rows })
}

/// One value with its method, counts and reason.
struct ExperimentRow {
  var section: String
  var measure: String
  var metric = ""
  var variant = ""
  var slice = ""
  var value: ReportValue = .number(nil)
  var interval: Interval?
  var unit = ""
  var method = ""
  var level: Double?
  var persons: Int?
  var events: Int?
  var atRisk: Int?
  var informationFraction: Double?
  var isAlwaysValid: Bool?
  var margin: Double?
  var familySize: Int?
  var text = ""
  var reason = ""
  var golden = ""
  /// The metric's role, its good direction, and its users if the outcome selects them.
  var role = ""
  var direction = ""
  var conditionalOn = ""

  init(_ section: String, _ measure: String) {
    self.section = section
    self.measure = measure
  }

  static let columns: [ReportColumn] =
    ["app", "experiment", "section", "metric", "variant", "slice", "measure"].map { ReportColumn($0, .key) }
    + ["value", "low", "high"].map { ReportColumn($0, .number) }
    + [ReportColumn("unit", .text), ReportColumn("text", .text), ReportColumn("method", .text)]
    + [ReportColumn("level", .number), ReportColumn("n", .count), ReportColumn("events", .count)]
    + [ReportColumn("at_risk", .count), ReportColumn("information_fraction", .number)]
    + [ReportColumn("always_valid", .text), ReportColumn("margin", .number), ReportColumn("family_size", .count)]
    + ["reason", "golden", "role", "direction", "conditional_on"].map { ReportColumn($0, .text) }

  func values(app: String, experiment: String) -> [ReportValue] {
    func count(_ value: Int?) -> ReportValue { value.map { .count($0) } ?? .percent(nil) }
    return [
      .text(app), .text(experiment), .text(section), .text(metric), .text(variant), .text(slice), .text(measure),
      value, .number(interval?.low), .number(interval?.high), .text(unit), .text(text), .text(method), .number(level),
      count(persons), count(events), count(atRisk), .number(informationFraction),
      .text(isAlwaysValid.map { $0 ? "yes" : "no" } ?? ""), .number(margin), count(familySize), .text(reason),
      .text(golden), .text(role), .text(direction), .text(conditionalOn),
    ]
  }
}

private struct ExperimentRows {
  let readout: ExperimentReadout

  init(_ readout: ExperimentReadout) { self.readout = readout }

  var rows: [[ReportValue]] {
    let parts = [
      verdict, health, metrics, longTerm, incidence, revenue, guardrails, adjustments, pairs, segments, trend, within,
      sizes,
      overTime, slices,
    ]
    return parts.joined().map { $0.values(app: readout.app, experiment: readout.experiment) }
  }

  /// The rows of the verdict (D13.1).
  private var verdict: [ExperimentRow] {
    let words = ReadoutText(readout)
    let leader = readout.decision.treatment.map { readout.treatments[$0] } ?? ""
    var rows: [ExperimentRow] = []
    func add(_ measure: String, _ change: (inout ExperimentRow) -> Void) {
      var row = ExperimentRow("verdict", measure)
      change(&row)
      rows.append(row)
    }
    add("decision") {
      $0.metric = readout.primary?.metric.name ?? ""
      ($0.text, $0.variant, $0.reason) = (readout.decision.outcome.rawValue, leader, readout.decision.reason)
    }
    add("sentence") { $0.text = words.sentence }
    add("next") {
      $0.text = readout.next?.rawValue ?? ""
      if readout.next == nil { $0.reason = readout.decision.outcome == .ship ? "ship" : "" }
    }
    add("next_sentence") { $0.text = words.next }
    for caveat in words.caveats { add("caveat") { $0.text = caveat } }
    let schedule = readout.schedule
    add("persons_needed") {
      ($0.value, $0.margin) = (.number(schedule.usersNeeded), readout.plan.minimumLift)
    }
    add("persons_needed_equivalence") {
      ($0.value, $0.margin) = (.number(schedule.usersNeededForEquivalence), readout.plan.sameLift)
    }
    add("persons_a_day") { $0.value = .number(schedule.usersADay) }
    add("days_more") {
      $0.value = .number(schedule.daysMore)
      if schedule.daysMore == nil { $0.reason = schedule.target == nil ? "no size to wait for" : "no new users" }
    }
    if schedule.isPlanOpen { add("days_to_look") { $0.value = .number(schedule.daysToLook) } }
    guard words.isReadable, let money = readout.money else { return rows + longTermVerdict(leader) + bestGroup }
    add("decision_currency") { $0.text = money.currency }
    for (arm, share) in zip(readout.arms, money.coveredShares) {
      add("covered_share") {
        ($0.variant, $0.value, $0.unit) = (arm.variant, .rate(share), "share")
        if share == nil { $0.reason = "no payers" }
      }
    }
    for (variant, annual) in zip(readout.treatments, money.annual) {
      add("annual_impact") {
        ($0.variant, $0.value, $0.interval, $0.unit) = (
          variant, .number(annual?.value), annual?.interval, money.currency
        )
        if annual == nil {
          $0.reason =
            money.isPartial
            ? "not all payments have a rate" : money.weeks == 0 ? "less than two whole weeks" : "not estimable"
        }
      }
    }
    return rows + longTermVerdict(leader) + bestGroup
  }

  private func longTermVerdict(_ leader: String) -> [ExperimentRow] {
    guard ReadoutText(readout).isReadable, let longTerm = readout.longTerm else { return [] }
    var row = ExperimentRow("verdict", "early_late")
    (row.text, row.variant, row.reason) = (longTerm.agreement.rawValue, leader, longTerm.reason ?? "")
    return [row]
  }

  private var bestGroup: [ExperimentRow] {
    guard ReadoutText(readout).isReadable, let ranking = readout.ranking else { return [] }
    var row = ExperimentRow("verdict", "best_group")
    row.text = ranking.bestGroup.map { readout.arms[$0].variant }.joined(separator: ",")
    return [row]
  }

  private var health: [ExperimentRow] {
    let health = readout.health
    var rows: [ExperimentRow] = []
    let total = Double(max(1, readout.arms.reduce(0) { $0 + $1.persons }))
    for arm in readout.arms {
      var row = ExperimentRow("health", "share")
      row.variant = arm.variant
      row.value = .rate(Double(arm.persons) / total)
      row.persons = arm.persons
      row.margin = arm.share
      row.text = "margin has the planned share"
      rows.append(row)
    }
    func add(
      _ measure: String, _ value: ReportValue, slice: String = "", method: String = "", isAlwaysValid: Bool? = nil,
      text: String = "", golden: String = "", persons: Int? = nil
    ) {
      var row = ExperimentRow("health", measure)
      (row.value, row.slice, row.method, row.isAlwaysValid) = (value, slice, method, isAlwaysValid)
      (row.text, row.golden, row.persons) = (text, golden, persons)
      if isAlwaysValid != nil { row.level = 1 - ExperimentHealth.alpha }
      rows.append(row)
    }
    if let sequential = health.sequential {
      add(
        "sample_ratio_p", .probability(sequential.p), method: "sequential_sample_ratio", isAlwaysValid: true,
        text: health.isSampleRatioOff ? "alarm" : "ok", golden: "srm", persons: Int(total))
      add("sample_ratio_log_bayes_factor", .number(sequential.logBayesFactor), method: "sequential_sample_ratio")
    }
    if let test = health.chiSquare {
      add("sample_ratio_chi_square", .number(test.chiSquare), method: "chi_square", golden: "srm")
      add("sample_ratio_chi_square_p", .probability(test.p), method: "chi_square", isAlwaysValid: false, golden: "srm")
    }
    for slicing in health.slices {
      for slice in slicing.slices {
        let isAlarmed = (slice.adjustedP ?? 1) < ExperimentHealth.alpha
        add(
          "sample_ratio_p", .probability(slice.adjustedP), slice: "\(slicing.dimension)=\(slice.value)", method: "holm",
          isAlwaysValid: false, text: isAlarmed ? "alarm" : "ok", golden: "srm, multiple_testing",
          persons: slice.persons.reduce(0, +))
      }
    }
    add("crossed", .count(health.crossed), persons: health.persons)
    for leak in health.leaks { add("leaked", .count(leak.persons), text: leak.variant, persons: health.persons) }
    add("immature", .count(health.immature), persons: Int(total))
    return rows
  }

  private var metrics: [ExperimentRow] {
    readout.metrics.flatMap { rows("metrics", $0, slice: "") }
  }

  private var slices: [ExperimentRow] {
    readout.slices.flatMap { slice in
      rows(
        "slices", slice.metric,
        slice: zip(readout.by, slice.values).map { "\($0)=\($1)" }.joined(separator: ","))
    }
  }

  /// Returns the columns common to all rows of a metric.
  private func base(_ section: String, _ metric: MetricReadout) -> ExperimentRow {
    var row = ExperimentRow(section, "")
    row.metric = metric.metric.name
    row.role = metric.role.rawValue
    row.direction = metric.metric.goodDirection?.rawValue ?? ""
    row.conditionalOn = metric.conditionalOn ?? ""
    return row
  }

  private func rows(_ section: String, _ metric: MetricReadout, slice: String) -> [ExperimentRow] {
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

  private func armRows(_ base: ExperimentRow, _ metric: MetricReadout, _ arm: ArmResult) -> [ExperimentRow] {
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

  private func posterior(_ metric: MetricReadout) -> String {
    metric.metric.kind == .proportion ? "beta_binomial" : "normal_posterior"
  }

  private func comparisonRows(
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
      $0.text = reading.stoppedDaysBefore.map { "stopped \($0) d before the as-of" } ?? ""
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
        $0.text = "difference for users who \(metric.conditionalOn == "payers" ? "pay" : "start a trial") either way"
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

  private func golden(_ method: SequentialReading.Method) -> String {
    switch method {
    case .asymptoticSequence: "asymp_cs"
    case .conversionShare: "bernoulli_cs"
    case .groupSequential: "group_sequential"
    case .once, .none: ""
    }
  }

  private var incidence: [ExperimentRow] {
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

  private var revenue: [ExperimentRow] {
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
  private var longTerm: [ExperimentRow] {
    guard let longTerm = readout.longTerm, !readout.metrics.contains(where: { $0.metric.baseName == "value_12" }) else {
      return []
    }
    let reason = longTerm.basis == nil ? longTerm.reason ?? "not known yet" : ""
    func row(_ measure: String, _ variant: String, _ value: Double?, _ interval: Interval?) -> ExperimentRow {
      var row = ExperimentRow("metrics", measure)
      (row.metric, row.variant, row.value, row.interval) = ("value_12", variant, .number(value), interval)
      (row.unit, row.method, row.reason) = (ReadoutText(readout).currency, longTerm.basis?.rawValue ?? "", reason)
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

  private var guardrails: [ExperimentRow] {
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

  /// The unadjusted, history-adjusted and capped results of metrics with more than one of them (D10.3).
  private var adjustments: [ExperimentRow] {
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
  private var pairs: [ExperimentRow] {
    guard let ranking = readout.ranking, let metric = readout.primary else { return [] }
    return readout.listedPairs.map { pair in
      var row = base("pairs", metric)
      (row.measure, row.variant) = ("p", readout.arms[pair.first].variant)
      row.slice = readout.arms[pair.second].variant
      (row.value, row.method, row.isAlwaysValid) = (.probability(pair.p), "holm", true)
      row.text = pair.isShown ? "better" : "not told apart"
      row.familySize = ranking.pairs.count
      return row
    }
  }

  private var segments: [ExperimentRow] {
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
      return [test, spread]
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

  private var trend: [ExperimentRow] {
    guard let trend = readout.trend, let metric = readout.primary else { return [] }
    func row(_ measure: String, _ value: ReportValue, slice: String = "") -> ExperimentRow {
      var row = base("trend", metric)
      (row.measure, row.variant, row.value, row.slice) = (measure, trend.variant, value, slice)
      (row.method, row.isAlwaysValid) = ("weighted_slope", false)
      return row
    }
    var slope = row("slope", number(trend.slope, metric.metric.unit))
    (slope.unit, slope.text) = ("\(unitText(metric.metric.unit)) a week", trend.answer.rawValue)
    let half = 1.959_963_984_540_054 * trend.standardError
    slope.interval = Interval(low: trend.slope - half, high: trend.slope + half)
    return [slope, row("p", .probability(trend.p))]
      + trend.weeks.map { week in
        var own = row(
          "difference", number(week.difference, metric.metric.unit),
          slice: String(instantText(Int64(week.day) * 86_400_000).prefix(10)))
        own.persons = week.control.users + week.treatment.users
        own.unit = unitText(metric.metric.unit)
        return own
      }
  }

  /// The trend by weeks since the exposure (D8.6).
  private var within: [ExperimentRow] {
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
    slope.interval = Interval(low: within.slope - half, high: within.slope + half)
    return [slope, row("p", .probability(within.p))]
      + [within.first, within.last].map { week in
        var own = row(
          "difference", number(week.difference, metric.metric.unit), slice: "since_exposure=week \(week.number)")
        own.unit = unitText(metric.metric.unit)
        return own
      }
  }

  private var sizes: [ExperimentRow] {
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

  private var overTime: [ExperimentRow] {
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

  private func number(_ value: Double?, _ unit: ExperimentMetric.Unit) -> ReportValue {
    unit == .share ? .rate(value) : .number(value)
  }

  private func unitText(_ unit: ExperimentMetric.Unit) -> String {
    switch unit {
    case .share: "share"
    case .money(let currency): currency
    case .number: "number"
    }
  }
}
