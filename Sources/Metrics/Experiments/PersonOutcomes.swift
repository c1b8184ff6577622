internal import Lifecycle
internal import Store

/// The shares of definitions 8.3: `trial_start`, `paid`, `trial_cancelled`, `refunded` and `retained`.
struct PersonOutcomes {
  let exposed: ExposedPersons

  static let metrics: [ExperimentMetric] = [.trialStart, .paid, .trialCancelled, .refunded, .retained]

  /// What is counted of the persons of one age.
  private struct Row {
    var persons = 0
    /// Those who were active before the exposure.
    var active = 0
    /// One per metric.
    var events = (0, 0, 0, 0, 0)
    var activeEvents = (0, 0, 0, 0, 0)

    @inline(__always)
    mutating func add(_ unit: ExposureUnit) {
      persons += 1
      Self.add(unit, to: &events)
      if unit.wasActiveBefore {
        active += 1
        Self.add(unit, to: &activeEvents)
      }
    }

    @inline(__always)
    private static func add(_ unit: ExposureUnit, to counts: inout (Int, Int, Int, Int, Int)) {
      counts.0 += unit.hasTrial ? 1 : 0
      counts.1 += unit.hasPaid ? 1 : 0
      counts.2 += unit.isTrialCancelled ? 1 : 0
      counts.3 += unit.isRefunded ? 1 : 0
      counts.4 += unit.isRetained ? 1 : 0
    }

    static func list(_ counts: (Int, Int, Int, Int, Int)) -> [Int] {
      [counts.0, counts.1, counts.2, counts.3, counts.4]
    }
  }

  func add(to table: inout OutcomeTable) throws {
    let arms = table.arms
    // By slice and arm, then by age.
    var rows = [[Row]](repeating: [], count: exposed.source.slices.count * arms)
    var finder = exposed.armFinder
    try exposed.source.forEachExposure { variant, unit, slice in
      guard !unit.isCrossed, let arm = finder.arm(variant) else { return }
      let (place, age) = (slice * arms + arm, exposed.age(unit.ts))
      if age >= rows[place].count { rows[place] += repeatElement(Row(), count: age + 1 - rows[place].count) }
      rows[place][age].add(unit)
    }
    for (place, ages) in rows.enumerated() {
      let arm = place % arms
      table.change(place / arms) { outcomes in
        for (age, row) in ages.enumerated() where row.persons > 0 {
          outcomes.ages[arm][age] = row.persons
          let (events, activeEvents) = (Row.list(row.events), Row.list(row.activeEvents))
          for (index, metric) in Self.metrics.enumerated() {
            let days = age - Int(metric.horizon / day)
            if days < 0 { continue }
            let none = [Accrual<OutcomeTally>](repeating: Accrual(), count: arms)
            outcomes.shares[metric.name, default: none][arm].add(daysBefore: days) { tally in
              tally.persons += row.persons
              tally.events += events[index]
              tally.active += row.active
              tally.activeEvents += activeEvents[index]
            }
          }
        }
      }
    }
  }
}
