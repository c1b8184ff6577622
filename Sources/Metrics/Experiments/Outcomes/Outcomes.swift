internal import Lifecycle

/// The outcomes of one slice of the exposed users, by arm, on which every comparison is based.
struct Outcomes {
  /// Exposed users by arm and age in whole days.
  var ages: [[Int: Int]]
  /// By the name of the metric.
  var shares: [String: [CumulativeByDay<OutcomeTally>]] = [:]
  var means: [String: [CumulativeByDay<Distribution>]] = [:]
  var ratios: [String: [CumulativeByDay<RatioTally>]] = [:]
  var incidences: [String: [[IncidenceRecord]]] = [:]
  /// By currency.
  var histories: [String: [RevenueHistory]] = [:]

  var arms: Int { ages.count }

  init(arms: Int) { ages = [[Int: Int]](repeating: [:], count: arms) }

  mutating func merge(_ other: Outcomes) {
    for arm in ages.indices { ages[arm].merge(other.ages[arm], uniquingKeysWith: +) }
    shares.addArms(of: other.shares) { $0.merge($1) }
    means.addArms(of: other.means) { $0.merge($1) }
    ratios.addArms(of: other.ratios) { $0.merge($1) }
    incidences.addArms(of: other.incidences, +=)
    histories.addArms(of: other.histories) { $0.groups += $1.groups }
  }
}

extension Dictionary where Key == String {
  /// Adds the arms of another in place, as a copy for each of many slices would take quadratic time.
  fileprivate mutating func addArms<Arm>(of other: [String: [Arm]], _ add: (inout Arm, Arm) -> Void)
  where Value == [Arm] {
    for (name, arms) in other {
      guard self[name] != nil else {
        self[name] = arms
        continue
      }
      for arm in arms.indices { add(&self[name]![arm], arms[arm]) }
    }
  }

  /// Changes the statistics of a metric's users in one of the arms whose outcome became known on a day.
  mutating func add<Tally>(
    _ metric: String, arm: Int, of arms: Int, daysBefore day: Int, _ change: (inout Tally) -> Void
  ) where Value == [CumulativeByDay<Tally>] {
    self[metric, default: Array(repeating: CumulativeByDay(), count: arms)][arm].add(daysBefore: day, change)
  }
}

/// Collects the outcomes of all slices while they are read.
struct OutcomeTable {
  let arms: Int
  /// In the order of ``ExposureSource/slices``.
  private(set) var slices: [Outcomes]

  init(arms: Int, slices: Int) {
    self.arms = arms
    self.slices = [Outcomes](repeating: Outcomes(arms: arms), count: slices)
  }

  mutating func change(_ slice: Int, _ body: (inout Outcomes) -> Void) { body(&slices[slice]) }

  /// Counts every exposed user whose horizon is over as analysed.
  mutating func addPersons(
    _ metrics: [ExperimentMetric], to tallies: WritableKeyPath<Outcomes, [String: [CumulativeByDay<some PersonTally>]]>
  ) {
    for slice in slices.indices {
      for metric in metrics {
        let days = Int(metric.horizon / day)
        for arm in 0..<arms {
          for (age, count) in slices[slice].ages[arm] where age >= days {
            slices[slice][keyPath: tallies].add(metric.name, arm: arm, of: arms, daysBefore: age - days) {
              $0.persons += count
            }
          }
        }
      }
    }
  }

  /// All slices merged.
  var whole: Outcomes {
    slices.count == 1 ? slices[0] : slices.reduce(into: Outcomes(arms: arms)) { $0.merge($1) }
  }
}
