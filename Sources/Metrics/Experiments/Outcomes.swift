internal import Lifecycle

/// The outcomes of one slice of the exposed persons, by arm: what every comparison is made from.
struct Outcomes {
  /// Exposed persons by arm and age in whole days.
  var ages: [[Int: Int]]
  /// By the name of the metric.
  var shares: [String: [Accrual<OutcomeTally>]] = [:]
  var means: [String: [Accrual<Distribution>]] = [:]
  var ratios: [String: [Accrual<RatioTally>]] = [:]
  var incidences: [String: [[IncidenceRecord]]] = [:]

  init(arms: Int) { ages = [[Int: Int]](repeating: [:], count: arms) }

  /// Exposed persons of an arm whose outcome takes longer than there was time.
  func immature(_ arm: Int, days: Int) -> Int {
    ages[arm].reduce(0) { $1.key < days ? $0 + $1.value : $0 }
  }

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
  }

  private static func merge<Value>(_ own: inout [String: [Accrual<Value>]], _ other: [String: [Accrual<Value>]]) {
    for (name, arms) in other {
      guard own[name] != nil else {
        own[name] = arms
        continue
      }
      for arm in arms.indices { own[name]![arm].merge(arms[arm]) }
    }
  }
}

/// The outcomes of all slices while they are being read.
struct OutcomeTable {
  let arms: Int
  /// By the codes of the dimensions.
  private(set) var slices: [[Int64]: Outcomes] = [:]

  init(arms: Int) { self.arms = arms }

  mutating func change(_ codes: [Int64], _ body: (inout Outcomes) -> Void) {
    body(&slices[codes, default: Outcomes(arms: arms)])
  }

  /// Counts persons with an outcome.
  mutating func addEvents(_ metric: ExperimentMetric, _ codes: [Int64], arm: Int, age: Int, count: Int) {
    let days = Int(metric.horizon / day)
    guard age >= days, count > 0 else { return }
    let none = [Accrual<OutcomeTally>](repeating: Accrual(), count: arms)
    change(codes) {
      $0.shares[metric.name, default: none][arm].add(daysBefore: age - days) { $0.events += count }
    }
  }

  /// Counts every exposed person whose horizon is over as analysed.
  ///
  /// - Parameter tallies: Those of the metrics.
  mutating func addPersons(
    _ metrics: [ExperimentMetric], to tallies: WritableKeyPath<Outcomes, [String: [Accrual<some PersonTally>]]>
  ) {
    for codes in slices.keys {
      guard var outcomes = slices[codes] else { continue }
      for metric in metrics {
        let days = Int(metric.horizon / day)
        for arm in 0..<arms {
          for (age, count) in outcomes.ages[arm] where age >= days {
            outcomes[keyPath: tallies][metric.name, default: Array(repeating: Accrual(), count: arms)][arm]
              .add(daysBefore: age - days) { $0.persons += count }
          }
        }
      }
      slices[codes] = outcomes
    }
  }

  /// All slices together.
  var whole: Outcomes {
    slices.values.reduce(into: Outcomes(arms: arms)) { $0.merge($1) }
  }
}
