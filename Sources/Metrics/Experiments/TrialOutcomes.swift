internal import Lifecycle

/// `trial_start`, `trial_cancelled` and `trial_to_paid` (definitions 8.3).
struct TrialOutcomes {
  let exposed: ExposedPersons

  private var trials: String { exposed.query.facts.table(.trial) }

  /// Adds `trial_start` and, for trials that ended within the horizon, `trial_cancelled`.
  func add(to table: inout OutcomeTable) throws {
    try exposed.forEachGroup(
      """
      SELECT variant, age\(exposed.query.by.indices.map { ", d\($0)" }.joined()), SUM(started), SUM(cancelled)
      FROM (
        SELECT e.person, e.variant, e.age\(exposed.query.by.indices.map { ", e.d\($0) AS d\($0)" }.joined()),
          MAX(CASE WHEN t.start < e.ts + \(ExperimentMetric.trialStart.horizon) THEN 1 ELSE 0 END) AS started,
          MAX(CASE WHEN t.is_cancelled = 1 AND t.trial_end <= e.ts + \(ExperimentMetric.trialCancelled.horizon)
            THEN 1 ELSE 0 END) AS cancelled
        FROM \(trials) AS t
        JOIN \(ExposedPersons.table) AS e ON e.person = t.person
        WHERE t.trial_kind = 1 AND t.credit = 0
          AND t.start >= e.ts AND t.start < e.ts + \(ExperimentMetric.trialCancelled.horizon)
        GROUP BY e.person, e.variant, e.age\(exposed.dimensions)
      ) AS p
      GROUP BY variant, age\(exposed.query.by.indices.map { ", d\($0)" }.joined())
      """
    ) { arm, age, codes, row, first in
      table.addEvents(.trialStart, codes, arm: arm, age: age, count: row.int(first))
      table.addEvents(.trialCancelled, codes, arm: arm, age: age, count: row.int(first + 1))
    }
  }

  /// Adds `trial_cancelled` of trials that were still open at the horizon: facts tell whether they were cancelled in
  /// the end, and a fold as of the horizon whether they were by then.
  func addOpenTrials(to table: inout OutcomeTable) throws {
    let horizon = ExperimentMetric.trialCancelled.horizon
    var open: [Int32: (arm: Int, age: Int, codes: [Int64], exposure: Int64)] = [:]
    try exposed.forEachGroup(
      """
      SELECT e.variant, e.age\(exposed.dimensions), e.person, e.ts
      FROM \(trials) AS t
      JOIN \(ExposedPersons.table) AS e ON e.person = t.person
      WHERE t.trial_kind = 1 AND t.credit = 0
        AND t.start >= e.ts AND t.start < e.ts + \(horizon) AND t.trial_end > e.ts + \(horizon)
        AND e.age >= \(horizon)
        AND NOT EXISTS (
          SELECT * FROM \(trials) AS c
          WHERE c.person = e.person AND c.trial_kind = 1 AND c.credit = 0 AND c.is_cancelled = 1
            AND c.start >= e.ts AND c.trial_end <= e.ts + \(horizon)
        )
      """
    ) { arm, age, codes, row, first in open[Int32(row[first])] = (arm, age, codes, row[first + 1]) }
    let instants = open.mapValues { $0.exposure + horizon }
    try exposed.query.facts.fold(instants, grace: exposed.query.options.grace) { person, facts in
      guard let unit = open[person] else { return }
      let isCancelled = facts.trials.contains {
        $0.dimensions.trialKind == .introductory && $0.isCancelled && $0.start >= unit.exposure
      }
      if isCancelled { table.addEvents(.trialCancelled, unit.codes, arm: unit.arm, age: unit.age, count: 1) }
    }
  }

  /// Adds each person's first trial of any kind within 7 days of the exposure, and returns the metric: the incidence of
  /// conversion at the length that 99 % of these trials do not exceed, and the grace (3.3).
  ///
  /// - Returns: `nil` without trials.
  func addTrialToPaid(to table: inout OutcomeTable) throws -> ExperimentMetric? {
    let asOf = exposed.asOf
    var lengths: [Int64: Int] = [:]
    var found: [(codes: [Int64], arm: Int, record: IncidenceRecord)] = []
    try exposed.forEachGroup(
      """
      SELECT f.variant, f.age\(exposed.query.by.indices.map { ", f.d\($0)" }.joined()),
        t.start, t.trial_end, t.deadline, t.converted_at
      FROM (
        SELECT e.person AS person, e.variant AS variant, e.age AS age\(
          exposed.query.by.indices.map { ", e.d\($0) AS d\($0)" }.joined()), MIN(t.number) AS number
        FROM \(trials) AS t
        JOIN \(ExposedPersons.table) AS e ON e.person = t.person
        WHERE t.credit = 0 AND t.start >= e.ts AND t.start < e.ts + \(ExperimentMetric.trialStart.horizon)
        GROUP BY e.person, e.variant, e.age\(exposed.dimensions)
      ) AS f
      JOIN \(trials) AS t ON t.person = f.person AND t.number = f.number AND t.credit = 0
      """
    ) { arm, _, codes, row, first in
      let (start, end, deadline) = (row[first], row[first + 1], row[first + 2])
      lengths[end - start, default: 0] += 1
      var record = IncidenceRecord(start: start)
      if let converted = row.optional(first + 3) {
        record.time = converted - start
      } else if deadline <= asOf {
        record.time = deadline - start
        record.cause = IncidenceRecord.competing
      }
      found.append((codes, arm, record))
    }
    guard let length = Self.typicalLength(lengths) else { return nil }
    let metric = ExperimentMetric.trialToPaid(horizon: length + exposed.query.options.grace)
    let none = [[IncidenceRecord]](repeating: [], count: table.arms)
    for (codes, arm, record) in found {
      table.change(codes) { $0.incidences[metric.name, default: none][arm].append(record) }
    }
    return metric
  }

  /// The least length that 99 % do not exceed.
  static func typicalLength(_ lengths: [Int64: Int]) -> Int64? {
    let total = lengths.values.reduce(0, +)
    var below = 0
    for (length, count) in lengths.sorted(by: { $0.key < $1.key }) {
      below += count
      if below * 100 >= total * 99 { return length }
    }
    return nil
  }
}
