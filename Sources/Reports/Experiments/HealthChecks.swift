import Metrics
import Statistics

/// Returns the checks on whether the comparison can be trusted, failed ones first.
func healthChecks(_ readout: ExperimentReadout) -> ExperimentSection {
  let health = readout.health
  let total = readout.arms.reduce(0) { $0 + $1.persons }
  var rows: [[ReportValue]] = []
  func add(_ check: String, _ found: String, _ p: Double?, _ isAlarm: Bool) {
    rows.append([.text(check), .text(isAlarm ? "ALARM" : "ok"), .text(found), .probability(p)])
  }
  let counts =
    readout.arms.count > 6
    ? ReadoutText(readout).armCounts
    : readout.readingOrder.map { readout.arms[$0] }.map {
      "\($0.variant) \(countText($0.persons)) of \(percentText($0.share) ?? undefinedMark)"
    }.joined(separator: ", ")
  if let sequential = health.sequential {
    add("sample ratio", counts, sequential.p, health.isSampleRatioOff)
    if health.isSplitDoubtful { rows[rows.count - 1][1] = .text("doubtful") }
  }
  if let chiSquare = health.chiSquare, let statistic = chiSquare.chiSquare {
    rows.append(
      [
        .text("in one look"), .text("descriptive"),
        .text("χ² = \(fixed(statistic, 2)) on \(chiSquare.degrees) df\(shareText(readout, total))"),
        .probability(chiSquare.p),
      ])
  }
  for slicing in health.comparedSlices {
    guard let worst = slicing.worst else { continue }
    add(
      "by \(slicing.dimension)",
      "\(countText(slicing.slices.count)) slices, least likely \(worst.value): "
        + splitText(readout, worst.persons), worst.adjustedP, (worst.adjustedP ?? 1) < ExperimentHealth.alpha)
  }
  let crossed = Double(health.crossed) / Double(max(1, health.persons))
  add(
    "two variants", "\(countText(health.crossed)) of \(countText(health.persons)) users, left out", nil,
    crossed > 0.01)
  let leaked = health.leaks.map { "\($0.variant) \(countText($0.persons))" }.joined(separator: ", ")
  add("no planned share", leaked.isEmpty ? "none" : leaked, nil, !health.leaks.isEmpty)
  if let primary = readout.primary {
    let known = primary.arms.reduce(0) { $0 + $1.persons }
    rows.append(
      [
        .text("too recent to count"), .text("left out"),
        .text(
          "\(countText(health.immature)) of \(countText(health.immature + known)) in \(primary.metric.name): "
            + "less than \(daysText(primary.metric.horizon)) ago"), .probability(nil),
      ])
  }
  return ExperimentSection(
    .health, "Health checks",
    columns: .keys("check").texts("state", "found").figures("p"), rows: rows)
}

/// Returns the observed share of the first treatment with its interval and the planned share, because at large sizes
/// even trivial gaps are significant.
private func shareText(_ readout: ExperimentReadout, _ total: Int) -> String {
  guard readout.arms.count == 2, total > 0,
    let interval = wilsonInterval(successes: Double(readout.arms[1].persons), trials: Double(total))
  else { return "" }
  let text = MetricText(.share)
  let share = text.value(Double(readout.arms[1].persons) / Double(total), interval) ?? ""
  return ", \(readout.arms[1].variant) has \(share)"
}
