internal import Lifecycle
internal import Store

/// Reads the shares of exposed users: `trial_start`, `paid`, `trial_cancelled`, `refunded` and `retained`
/// (Experiments.md, "Metrics"; D5).
struct PersonOutcomes {
  let exposed: ExposedPersons
  /// The horizon of cancelled trials: 7 days and the length of a trial (D5.3).
  let trialHorizon: Int64

  /// Users who used the app within a day of the exposure; it shows whether the arms log usage alike (D5.2).
  static let usedOnFirstDay = ExperimentMetric(
    name: "used_on_first_day", kind: .proportion, direction: .neither, unit: .share, horizon: day,
    outcome: "users with an activity event on the first day")

  /// The metrics over all exposed users.
  private var ofExposed: [(metric: ExperimentMetric, has: KeyPath<Counts, Int>)] {
    [
      (.trialStart, \.trials), (.paid, \.paid), (.refunded, \.refunded),
      (.retained, \.retained), (Self.usedOnFirstDay, \.usedOnFirstDay),
    ]
  }

  /// Users of one age with each outcome.
  private struct Counts {
    var persons = 0
    var trials = 0
    var paid = 0
    var cancelled = 0
    var refunded = 0
    var retained = 0
    var usedOnFirstDay = 0

    @inline(__always)
    mutating func add(_ unit: ExposureUnit) {
      persons += 1
      trials += unit.flags.contains(.hasTrial) ? 1 : 0
      paid += unit.flags.contains(.hasPaid) ? 1 : 0
      cancelled += unit.flags.contains(.isTrialCancelled) ? 1 : 0
      refunded += unit.flags.contains(.isRefunded) ? 1 : 0
      retained += unit.flags.contains(.isRetained) ? 1 : 0
      usedOnFirstDay += unit.flags.contains(.isUsedOnFirstDay) ? 1 : 0
    }
  }

  private struct Row {
    var all = Counts()
    /// Users who were active before the exposure.
    var active = Counts()
  }

  /// - Returns: Whether usage is known for any exposed user (D5.1).
  func add(to table: inout OutcomeTable) throws -> Bool {
    let arms = table.arms
    // Ages and days count from those of the last exposure: an as-of may lie centuries after it.
    let youngest = exposed.age(exposed.exposures?.upperBound ?? exposed.asOf)
    func daysSinceTrials(_ exposedAt: Int64) -> Int? {
      let since = exposed.asOf - exposedAt - trialHorizon
      return since < 0 ? nil : Int(since / day)
    }
    let fewestDays = exposed.exposures.flatMap { daysSinceTrials($0.upperBound) } ?? 0
    // By slice and arm, then by age.
    var rows = [[Row]](repeating: [], count: exposed.source.slices.count * arms)
    // By slice and arm, then by whole days since the horizon of cancelled trials, which is rarely in whole days itself.
    var trialRows = rows
    var hasUsage = false
    var finder = exposed.armFinder
    try exposed.source.forEachExposure { variant, unit, slice in
      guard !unit.isCrossed, let arm = finder.arm(variant) else { return }
      let (place, age) = (slice * arms + arm, exposed.age(unit.ts) - youngest)
      if age >= rows[place].count { rows[place] += repeatElement(Row(), count: age + 1 - rows[place].count) }
      rows[place][age].all.add(unit)
      if unit.flags.contains(.wasActiveBefore) { rows[place][age].active.add(unit) }
      if let sinceTrials = daysSinceTrials(unit.ts) {
        let days = sinceTrials - fewestDays
        if days >= trialRows[place].count {
          trialRows[place] += repeatElement(Row(), count: days + 1 - trialRows[place].count)
        }
        trialRows[place][days].all.add(unit)
        if unit.flags.contains(.wasActiveBefore) { trialRows[place][days].active.add(unit) }
      }
      if unit.flags.contains(.hasUsage) { hasUsage = true }
    }
    for (place, ages) in rows.enumerated() {
      table.change(place / arms) { outcomes in
        for (age, row) in ages.enumerated() where row.all.persons > 0 {
          add(row, age: age + youngest, arm: place % arms, to: &outcomes)
        }
        for (days, row) in trialRows[place].enumerated() where row.all.persons > 0 {
          addCancelled(row, days: days + fewestDays, arm: place % arms, to: &outcomes)
        }
      }
    }
    return hasUsage
  }

  private func add(_ row: Row, age: Int, arm: Int, to outcomes: inout Outcomes) {
    outcomes.ages[arm][age] = row.all.persons
    for (metric, has) in ofExposed where age >= Int(metric.horizon / day) {
      add(row, metric, has, daysBefore: age - Int(metric.horizon / day), arm: arm, to: &outcomes)
    }
  }

  /// - Parameter days: Days since the horizon of cancelled trials.
  private func addCancelled(_ row: Row, days: Int, arm: Int, to outcomes: inout Outcomes) {
    let perExposed = ExperimentMetric.trialCancelledPerExposed(horizon: trialHorizon)
    add(row, perExposed, \.cancelled, daysBefore: days, arm: arm, to: &outcomes)
    if row.all.trials == 0 { return }
    let metric = ExperimentMetric.trialCancelled(horizon: trialHorizon)
    outcomes.shares.add(metric.name, arm: arm, of: outcomes.arms, daysBefore: days) { tally in
      tally.persons += row.all.trials
      tally.events += row.all.cancelled
    }
  }

  private func add(
    _ row: Row, _ metric: ExperimentMetric, _ has: KeyPath<Counts, Int>, daysBefore: Int, arm: Int,
    to outcomes: inout Outcomes
  ) {
    outcomes.shares.add(metric.name, arm: arm, of: outcomes.arms, daysBefore: daysBefore) { tally in
      tally.persons += row.all.persons
      tally.events += row.all[keyPath: has]
      tally.active += row.active.persons
      tally.activeEvents += row.active[keyPath: has]
    }
  }
}
