internal import Lifecycle
internal import Store

/// Reads `trial_to_paid` (Experiments.md, "Metrics"): each user's first trial of any kind within 7 days of the
/// exposure, and the incidence of conversion at the length that 99% of these trials do not exceed, plus the grace.
struct TrialOutcomes {
  let exposed: ExposedPersons

  /// Exposed users with a trial of any kind within 7 days: the users behind the variants' trials (D5.6).
  static let started = ExperimentMetric(
    name: "any_trial_start", kind: .proportion, direction: .neither, unit: .share,
    horizon: ExposureOutcome.trialHorizon,
    outcome: "users with a trial of any kind")

  /// - Returns: The metric; `nil` without trials.
  func add(to table: inout OutcomeTable) throws -> ExperimentMetric? {
    let asOf = exposed.asOf
    var lengths: [Int64: Int] = [:]
    // Most trials are as long as the previous one.
    var run: (length: Int64, count: Int) = (0, 0)
    // By slice and arm, then by whole days since the exposure.
    var ages = [[Int: Int]](repeating: [:], count: exposed.source.slices.count * table.arms)
    var found = [[IncidenceRecord]](repeating: [], count: exposed.source.slices.count * table.arms)
    var finder = exposed.armFinder
    try exposed.source.forEachTrial { variant, unit, slice in
      guard let arm = finder.arm(variant) else { return }
      let trial = unit.trial
      if trial.end - trial.start != run.length {
        if run.count > 0 { lengths[run.length, default: 0] += run.count }
        run = (trial.end - trial.start, 0)
      }
      run.count += 1
      var record = IncidenceRecord(start: trial.start)
      if let converted = trial.convertedAt {
        record.time = converted - trial.start
      } else if trial.deadline <= asOf {
        record.time = trial.deadline - trial.start
        record.cause = IncidenceRecord.competing
      }
      found[slice * table.arms + arm].append(record)
      ages[slice * table.arms + arm][exposed.age(unit.exposedAt), default: 0] += 1
    }
    if run.count > 0 { lengths[run.length, default: 0] += run.count }
    let ascending = lengths.sorted { $0.key < $1.key }.map { (length: $0.key, count: $0.value) }
    guard let length = Funnel.typicalLength(ascending) else { return nil }
    let metric = ExperimentMetric.trialToPaid(horizon: length + exposed.query.options.grace)
    addStarts(ages, to: &table)
    let none = [[IncidenceRecord]](repeating: [], count: table.arms)
    for (place, records) in found.enumerated() where !records.isEmpty {
      let arm = place % table.arms
      table.change(place / table.arms) { $0.incidences[metric.name, default: none][arm] = records }
    }
    return metric
  }

  private func addStarts(_ ages: [[Int: Int]], to table: inout OutcomeTable) {
    let (arms, days) = (table.arms, Int(Self.started.horizon / day))
    table.addPersons([Self.started], to: \.shares)
    for (place, ages) in ages.enumerated() {
      table.change(place / arms) { outcomes in
        for (age, count) in ages where age >= days {
          outcomes.shares[Self.started.name]?[place % arms].add(daysBefore: age - days) { $0.events += count }
        }
      }
    }
  }
}
