import Statistics

func percent(_ rate: Double) -> String { "\((1_000 * rate).rounded() / 10)%" }

/// Checks of the pooled z test at the sample size that the formula gives.
func powerChecks(repetitions: Int) -> [Check] {
  [(0.1, 0.12, 0.8, 3_841.0, 0.80175), (0.02, 0.025, 0.8, 13_809, 0.801), (0.5, 0.55, 0.9, 2_095, 0.900)].flatMap {
    control, treatment, power, users, anchor in
    let errors = TestErrors(power: power)
    let size = proportionSampleSize(control: control, treatment: treatment, errors: errors)?.pooledNull.rounded(.up)
    let samplers = [treatment, control].map { BinomialSampler(trials: Int(users), rate: $0) }
    var (draws, hits) = (Draws(name: "power \(control)"), 0)
    for _ in 0..<repetitions {
      let arms = samplers.map { Proportion(successes: $0.draw(&draws), trials: users) }
      if let test = pooledZTest(arms[0], arms[1]), abs(test.z) > normalQuantile975 { hits += 1 }
    }
    let setting = "\(percent(control)) to \(percent(treatment))"
    return [
      Check(
        name: "users an arm, power \(power)", setting: setting, outcome: .value(size ?? 0, anchor: users, within: 0)),
      Check(
        name: "power at that size", setting: setting,
        outcome: .share(hits: hits, of: repetitions, anchor: anchor, anchored: 200_000)),
    ]
  }
}
