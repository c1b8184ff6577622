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

struct ExperimentRows {
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

  /// The rows of the section `verdict` (Experiments.md, "The readout").
  var verdict: [ExperimentRow] {
    let words = ReadoutText(readout)
    let leader = readout.decision.treatment.map { readout.treatments[$0] } ?? ""
    var rows: [ExperimentRow] = []
    func add(_ measure: String, _ change: (inout ExperimentRow) -> Void) {
      rows.append(ExperimentRow("verdict").with(measure) { change(&$0) })
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
            ? "not all payments have a rate" : money.weeks == 0 ? "less than two full weeks" : "not estimable"
        }
      }
    }
    if let low = money.annualOfLastWeeks {
      add("annual_impact_low") {
        ($0.variant, $0.value, $0.interval, $0.unit) = (leader, .number(low.value), low.interval, money.currency)
        $0.text = "the last two weeks alone"
      }
    }
    return rows + longTermVerdict(leader) + bestGroup
  }

  func longTermVerdict(_ leader: String) -> [ExperimentRow] {
    guard ReadoutText(readout).isReadable, let longTerm = readout.longTerm else { return [] }
    return [
      ExperimentRow("verdict", variant: leader).with("early_late") {
        ($0.text, $0.reason) = (longTerm.agreement.rawValue, longTerm.reason ?? "")
      }
    ]
  }

  var bestGroup: [ExperimentRow] {
    guard ReadoutText(readout).isReadable, let ranking = readout.ranking else { return [] }
    let best = ranking.bestGroup.map { readout.arms[$0].variant }.joined(separator: ",")
    return [ExperimentRow("verdict").with("best_group") { $0.text = best }]
  }

  var health: [ExperimentRow] {
    let health = readout.health
    let total = Double(max(1, readout.arms.reduce(0) { $0 + $1.persons }))
    var rows = readout.arms.map { arm in
      ExperimentRow("health", variant: arm.variant).with("share", .rate(Double(arm.persons) / total)) {
        ($0.persons, $0.margin, $0.text) = (arm.persons, arm.share, "margin has the planned share")
      }
    }
    func add(
      _ measure: String, _ value: ReportValue, slice: String = "", method: String = "", isAlwaysValid: Bool? = nil,
      text: String = "", golden: String = "", persons: Int? = nil
    ) {
      rows.append(
        ExperimentRow("health", slice: slice).with(measure, value, method: method, golden: golden) {
          ($0.isAlwaysValid, $0.text, $0.persons) = (isAlwaysValid, text, persons)
          if isAlwaysValid != nil { $0.level = 1 - ExperimentHealth.alpha }
        })
    }
    if let sequential = health.sequential {
      add(
        "sample_ratio_p", .probability(sequential.p), method: "sequential_sample_ratio", isAlwaysValid: true,
        text: health.isSampleRatioOff ? "alarm" : health.isSplitDoubtful ? "doubtful" : "ok", golden: "srm",
        persons: Int(total))
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

  func number(_ value: Double?, _ unit: ExperimentMetric.Unit) -> ReportValue {
    unit == .share ? .rate(value) : .number(value)
  }

  func unitText(_ unit: ExperimentMetric.Unit) -> String {
    switch unit {
    case .share: "share"
    case .money(let currency): currency
    case .number: "number"
    }
  }
}
