/// A family of checks that share their simulations.
struct Family: Sendable {
  var name: String
  /// Simulations per check in the quick subset, in `make test`.
  var quick = 150
  /// Runs the checks with the given number of simulations.
  var checks: @Sendable (_ repetitions: Int) -> [Check]

  static let all: [Family] = [
    Family(name: "coverage", checks: exactCoverageChecks),
    Family(name: "properties", checks: { propertyChecks(sizes: $0 >= 20_000 ? Array(1...40) : [1, 2, 5, 9]) }),
    Family(name: "daily-looks", checks: dailyLookChecks),
    Family(name: "daily-power", checks: dailyPowerChecks),
    Family(name: "every-user", checks: everyUserChecks),
    Family(name: "revenue", checks: revenueChecks),
    Family(name: "sample-ratio", checks: sampleRatioChecks),
    Family(name: "trials", checks: trialChecks),
    Family(name: "survival", checks: survivalChecks),
    Family(name: "retention", checks: retentionForecastChecks),
    Family(name: "families", checks: multiplicityChecks),
    Family(name: "covariates", checks: covariateChecks),
    Family(name: "power", checks: powerChecks),
    Family(name: "decisions", checks: falseDecisionChecks),
    Family(name: "sameness", checks: samenessChecks),
    Family(name: "needed-users", checks: neededUsersChecks),
    Family(name: "segments", checks: segmentChecks),
    Family(name: "year-of-money", checks: yearOfMoneyChecks),
    Family(name: "programs", quick: 40, checks: programChecks),
    Family(name: "regret", quick: 20, checks: regretChecks),
  ]
}
