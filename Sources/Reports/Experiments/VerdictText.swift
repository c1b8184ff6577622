import Metrics

/// A verdict in words: one sentence, and why.
struct VerdictText {
  /// The sentence that a reader takes away.
  let sentence: String
  /// What else there is to know of it, a sentence each.
  let reasons: [String]

  init(_ readout: ExperimentReadout) {
    let words = VerdictWords(readout)
    sentence = words.sentence
    reasons = words.reasons
  }
}

private struct VerdictWords {
  let readout: ExperimentReadout

  init(_ readout: ExperimentReadout) { self.readout = readout }

  private var verdict: ExperimentVerdict { readout.verdict }
  private var control: String { visible(readout.arms.first?.variant ?? "the control") }
  private var level: String { percentText(readout.plan.level)?.replacing(".0%", with: " %") ?? "" }
  private var primary: String { visible(verdict.primary) }

  var sentence: String {
    switch verdict.decision {
    case .ship(let variant): "Ship \(visible(variant)): \(finding)."
    case .doNotShip(let variant): doNotShip(visible(variant))
    case .noDifference:
      "No difference in \(primary) beyond ±\(boundText): \(finding)."
    case .undecided(let variant): undecided(visible(variant))
    case .none: none
    }
  }

  private func doNotShip(_ variant: String) -> String {
    switch verdict.reason {
    case .watched(let metric):
      "Do not ship \(variant): it wins \(primary) (\(shortFinding(verdict.primary))) but loses \(visible(metric)) "
        + "(\(shortFinding(metric)))."
    case .guardrail(let metric):
      "Do not ship \(variant): it wins \(primary) (\(shortFinding(verdict.primary))) but passes the margin of "
        + "\(visible(metric)) (\(shortFinding(metric)))."
    default:
      verdict.wins.contains("trial_start")
        ? "Do not ship \(variant): it wins trial_start (\(shortFinding("trial_start"))) but loses \(primary): \(finding)."
        : "Do not ship \(variant): \(finding)."
    }
  }

  private func undecided(_ variant: String) -> String {
    if case .guardrailOpen(let metric) = verdict.reason {
      return "Do not ship \(variant) yet: it wins \(primary) (\(shortFinding(verdict.primary))), but the guardrail "
        + "\(visible(metric)) is not shown to hold (\(shortFinding(metric)))."
    }
    let isWorse = (comparison?.difference ?? 0) * sign < 0
    let advice = isWorse ? "Keep \(control), not \(variant)" : "Do not ship \(variant) yet"
    if hasTurned { return "\(advice): \(finding), and an earlier look showed the opposite." }
    return "\(advice): \(finding), which one look would call a difference and daily looks do not yet."
  }

  /// Whether the bound was crossed by a difference of the other sign than it has now.
  private var hasTurned: Bool {
    guard let comparison else { return false }
    return comparison.sequential.isSignificant && comparison.hasTurned
  }

  private var none: String {
    switch verdict.reason {
    case .sampleRatio:
      "No verdict: the sample ratio is off (\(observedShares), planned \(plannedShares), "
        + "\(probabilityClause(readout.health.sequential?.p ?? 0))): find out why before reading any difference."
    case .leak:
      "No verdict: \(leaks) though the plan gives them no share: find out why before reading any difference."
    case .nothingToCompare:
      "No verdict: \(readout.arms.count < 2 ? "only one variant was seen" : "there is nothing to compare")."
    case .notEstimable(let reason): "No verdict yet on \(primary): \(reason)."
    default: "No verdict."
    }
  }

  var reasons: [String] {
    var lines: [String] = []
    switch verdict.decision {
    case .none: break
    default: lines += evidence
    }
    if isLost {
      let wins = verdict.wins.filter { $0 != "trial_start" }.map { "\(visible($0)) (\(shortFinding($0)))" }
      if !wins.isEmpty { lines.append("In one look it is better in \(wins.joined(separator: ", ")).") }
    }
    if let reading = comparison?.sequential {
      if reading.medianUnbiasedEstimate != nil {
        lines.append("The difference is corrected for the test having stopped when it did.")
      }
      if let fraction = reading.informationFraction, let text = percentText(min(fraction, 9.99)) {
        lines.append("\(text) of the planned information is in.")
      }
    }
    if hasTurned {
      lines.append(
        "The p under daily looks is of a look at which the difference had the other sign: the effect has turned.")
    }
    if !readout.health.alarmedSlices.isEmpty, !readout.health.isSampleRatioOff {
      let places = readout.health.alarmedSlices.map { "\($0.dimension) \(visible($0.slice.value))" }
      lines.append("The sample ratio is off within \(places.joined(separator: ", ")): look there first.")
    }
    let crossed = Double(readout.health.crossed) / Double(max(1, readout.health.persons))
    if crossed > 0.01, let share = percentText(crossed) {
      lines.append("\(share) of the persons were seen with two variants and are left out: more than chance mix-ups.")
    }
    return lines
  }

  private var isLost: Bool {
    if case .doNotShip = verdict.decision { true } else { false }
  }

  private var metric: MetricReadout? { readout.primary }
  private var sign: Double { metric?.metric.direction == .down ? -1 : 1 }
  private var metricText: MetricText? { metric.map(MetricText.init) }
  private var comparison: ArmComparison? { verdict.arm.flatMap { metric?.comparisons[$0] } }

  /// Level against level, and the difference with its bounds.
  private var finding: String {
    guard let metric, let text = metricText, let arm = verdict.arm, let comparison else { return "" }
    let treatment = text.value(metric.arms[arm + 1].estimate) ?? undefinedMark
    let other = text.value(metric.arms[0].estimate) ?? undefinedMark
    var words = "\(primary) is \(treatment) against \(other) of \(control)"
    if let days = comparison.sequential.stoppedDaysBefore, days > 0 {
      words += "; when the test stopped, \(days) d before"
    }
    if let difference = text.difference(comparison.decisionDifference) { words += ", \(difference)" }
    if let bounds = text.bounds(comparison.sequential.interval ?? comparison.interval) {
      words += " (\(level) \(comparison.sequential.interval == nil ? "of one look" : holds): \(bounds))"
    } else if let lift = liftBoundsText(comparison.sequential.liftInterval) {
      words += " (\(level) \(holds): lift \(lift))"
    }
    return words
  }

  private var holds: String {
    switch comparison?.sequential.method {
    case .groupSequential:
      comparison?.sequential.stoppedDaysBefore == nil ? "repeated interval" : "stage-wise interval"
    case .once: "interval"
    default: "always valid"
    }
  }

  /// The difference of any metric, with its bounds at one look.
  private func shortFinding(_ name: String) -> String {
    guard let arm = verdict.arm, let metric = readout.metrics.first(where: { $0.metric.name == name }) else {
      return ""
    }
    let text = MetricText(metric)
    let comparison = metric.comparisons[arm]
    guard let difference = text.difference(comparison.difference) else { return "not estimable" }
    return comparison.p.map { "\(difference), \(probabilityClause($0))" } ?? difference
  }

  private var evidence: [String] {
    guard let comparison else { return [] }
    var words: [String] = []
    if let p = comparison.p { words.append("\(probabilityClause(p)) in one look") }
    if let p = comparison.decisionP, comparison.sequential.method != .once {
      let family = comparison.sequential.adjustedP == nil ? "" : " and for the whole family"
      words.append("\(probabilityClause(p)) under daily looks\(family)")
    }
    if let chance = comparison.chanceToBeat, let text = percentText(chance) {
      words.append("chance to beat \(control) \(text)")
    }
    return words.isEmpty ? [] : [words.joined(separator: "; ") + "."]
  }

  private var boundText: String { metricText?.size(verdict.bound) ?? undefinedMark }

  private var observedShares: String {
    let total = Double(max(1, readout.arms.reduce(0) { $0 + $1.persons }))
    return readout.arms.map { "\(visible($0.variant)) \(percentText(Double($0.persons) / total) ?? undefinedMark)" }
      .joined(separator: ", ")
  }

  private var plannedShares: String {
    readout.arms.map { percentText($0.share) ?? undefinedMark }.joined(separator: ", ")
  }

  private var leaks: String {
    readout.health.leaks.map { "\(countText($0.persons)) persons are in \(visible($0.variant))" }
      .joined(separator: ", ")
  }
}
