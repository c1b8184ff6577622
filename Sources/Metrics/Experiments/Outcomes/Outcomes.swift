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

  init(arms: Int) { ages = [[Int: Int]](repeating: [:], count: arms) }

  mutating func merge(_ other: Outcomes) {
    for arm in ages.indices { ages[arm].merge(other.ages[arm], uniquingKeysWith: +) }
    Self.merge(&shares, other.shares)
    Self.merge(&means, other.means)
    Self.merge(&ratios, other.ratios)
    for (name, records) in other.incidences {
      guard var own = incidences[name] else {
        incidences[name] = records
        continue
      }
      for arm in own.indices { own[arm] += records[arm] }
      incidences[name] = own
    }
    for (currency, arms) in other.histories {
      guard histories[currency] != nil else {
        histories[currency] = arms
        continue
      }
      for arm in arms.indices { histories[currency]![arm].groups += arms[arm].groups }
    }
  }

  private static func merge<Value>(
    _ own: inout [String: [CumulativeByDay<Value>]], _ other: [String: [CumulativeByDay<Value>]]
  ) {
    for (name, arms) in other {
      guard own[name] != nil else {
        own[name] = arms
        continue
      }
      for arm in arms.indices { own[name]![arm].merge(arms[arm]) }
    }
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
            slices[slice][keyPath: tallies][metric.name, default: Array(repeating: CumulativeByDay(), count: arms)][arm]
              .add(daysBefore: age - days) { $0.persons += count }
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
