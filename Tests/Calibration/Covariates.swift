import Statistics

/// Checks on 200 users an arm with normal history and outcome, correlated by ρ.
func covariateChecks(repetitions: Int) -> [Check] {
  [(0.0, 0.0505, 0.998), (0.5, 0.048, 0.864), (0.9, 0.052, 0.435)].flatMap { rho, size, ratio in
    var (draws, tally, sum) = (Draws(name: "covariates \(rho)"), Tally(), 0.0)
    for _ in 0..<repetitions {
      let users = (0..<400).map { _ in
        let before = draws.normal()
        let after = rho * before + (1 - rho * rho).squareRoot() * draws.normal()
        return HistoryGroup(
          before: RatioUnit(numerator: before, denominator: 1), after: RatioUnit(numerator: after, denominator: 1))
      }
      if let result = cupedTest(treatment: Array(users[..<200]), control: Array(users[200...])) {
        tally.alarm("cuped", if: result.adjusted.twoSidedP < 0.05)
        sum += result.adjusted.standardError / result.unadjusted.standardError
      }
      let regressors = users.map { CovariateUser(covariates: [$0.before.numerator], outcome: $0.after.numerator) }
      let lin = interactedRegression(treatment: Array(regressors[..<200]), control: Array(regressors[200...]))
      tally.alarm("lin", if: (lin?.adjusted.twoSidedP ?? 1) < 0.05)
      tally.endRepetition()
    }
    let setting = "200 an arm, rho = \(rho)"
    return [
      Check(
        name: "CUPED", setting: setting,
        outcome: .share(hits: tally["cuped"], of: repetitions, anchor: size, anchored: 20_000)),
      Check(
        name: "CUPED, standard error / plain one", setting: setting,
        outcome: .value(sum / Double(repetitions), anchor: ratio, within: repetitions >= 20_000 ? 0.002 : 0.005)),
      // The only target for Lin's regression is its level.
      Check(
        name: "interacted regression, HC2", setting: setting,
        outcome: .share(hits: tally["lin"], of: repetitions, anchor: 0.05, anchored: nil)),
    ]
  }
}
