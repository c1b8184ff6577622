import Statistics

/// Coverage by enumeration: nothing is drawn, so the number of simulations is ignored.
func exactCoverageChecks(repetitions: Int) -> [Check] {
  points + averages + [neverBelow]
}

private var points: [Check] {
  func one(_ name: String, _ n: Int, _ rate: Double, _ anchor: Double, _ interval: (Proportion) -> Interval?) -> Check {
    Check(
      name: "exact coverage, \(name)", setting: "n = \(n), p = \(100 * rate)%",
      outcome: .value(exactCoverage(trials: n, rate: rate, interval: interval), anchor: anchor, within: 0.0005))
  }
  func two(_ name: String, _ anchor: Double, _ interval: (Proportion, Proportion) -> Interval?) -> Check {
    let coverage = exactCoverage(trials: (100, 100), rates: (0.02, 0.02), truth: 1, interval: interval)
    return Check(
      name: "exact coverage, \(name)", setting: "100 an arm, p = 2%",
      outcome: .value(coverage, anchor: anchor, within: 0.0005))
  }
  func wilson(_ sample: Proportion) -> Interval? {
    wilsonInterval(successes: sample.successes, trials: sample.trials)
  }
  return [
    one("Wilson", 100, 0.01, 0.921, wilson), one("Wilson", 1_000, 0.05, 0.9504, wilson),
    two("score ratio", 0.960) { scoreRatio($0, $1) },
    two("delta-method lift (negative control)", 0.709) { one, two in
      guard one.successes > 0, two.successes > 0, one.failures > 0, two.failures > 0 else { return nil }
      func estimate(_ sample: Proportion) -> MeanEstimate {
        let rate = sample.successes / sample.trials
        return MeanEstimate(mean: rate, standardError: (rate * (1 - rate) / sample.trials).squareRoot())
      }
      return deltaLift(estimate(one), estimate(two), critical: normalQuantile975).map {
        Interval(low: $0.interval.low + 1, high: $0.interval.high + 1)
      }
    },
  ]
}

/// Rates spread evenly over (0.01, 0.5).
private let rates = (0..<200).map { 0.01 + 0.49 * (Double($0) + 0.5) / 200 }

private var averages: [Check] {
  [(50, 0.9518), (200, 0.9509), (500, 0.9504), (2_000, 0.9499)].map { trials, anchor in
    let total = rates.reduce(0) { sum, rate in
      sum + exactCoverage(trials: trials, rate: rate) { wilsonInterval(successes: $0.successes, trials: $0.trials) }
    }
    return Check(
      name: "mean coverage, Wilson", setting: "n = \(trials), p in (1%, 50%)",
      outcome: .value(total / Double(rates.count), anchor: anchor, within: 0.0007))
  }
}

private var neverBelow: Check {
  var (misses, count) = (0, 0)
  var first: String?
  for trials in [10, 50, 200] {
    for rate in rates {
      count += 1
      if exactCoverage(trials: trials, rate: rate, interval: { clopperPearsonInterval($0) }) < 0.95 {
        misses += 1
        first = first ?? "n = \(trials), p = \(rate)"
      }
    }
  }
  return Check(
    name: "Clopper–Pearson never below 95%", setting: "n = 10, 50, 200",
    outcome: .violations(misses, of: count, first: first))
}
