internal import Statistics

extension Calculator {
  static let projectionMethods: [String: Method] = [
    "sbg_fit": { fields in try Self.fit(fields) },
    "sbg_fit_published": { fields in try Self.fit(fields) },
    "sbg_fit_boundary": { fields in try Self.fit(fields) },
    "sbg_fit_unidentified": { fields in try Self.fit(fields) },
    "sbg_functions": { fields in
      let model = ShiftedBetaGeometric(alpha: try fields.shape("alpha"), beta: try fields.shape("beta"))
      return [
        "pmf_1_to_6": model.churn(through: 6), "survival_1_to_6": Array(model.survival(through: 6).dropFirst()),
        "retention_1_to_6": (1...6).map { model.retention(at: $0) },
        "del_discount_10pct": model.discountedLifetime(discount: 0.1),
      ]
    },
    "bdw_fit": { fields in
      guard let fit = betaDiscreteWeibullFit(try fields.renewals()) else { return ["status": "not identified"] }
      return [
        "alpha": fit.model.alpha, "beta": fit.model.beta, "c": fit.model.c, "log_likelihood": fit.logLikelihood,
        "survival_0_to_12": fit.model.survival(through: 12),
      ]
    },
  ]

  /// Returns the percentage of the cohort still alive at 0…12 renewals; null where the data end.
  private static func observedSurvival(_ fields: Fields) throws -> [Double?] {
    let alive = try fields.numbers("alive")
    return (0...12).map { alive.indices.contains($0) ? 100 * (alive[$0] / alive[0]) : nil }
  }

  /// Returns the parameters of a fit, or the reason why there is none.
  private static func fit(_ fields: Fields) throws -> Values {
    switch shiftedBetaGeometricFit(try fields.renewals()) {
    case .fitted(let model, let logLikelihood):
      return [
        "status": "fitted", "alpha": model.alpha, "beta": model.beta, "log_likelihood": logLikelihood,
        "survival_0_to_12": model.survival(through: 12),
        "retention_rate_1_to_12": (1...12).map { model.retention(at: $0) },
        "derl_10pct_in_contract_period_1_to_8": (1...8).map {
          model.discountedResidual(inContractPeriod: $0, discount: 0.1)
        },
        "expected_lifetime_finite": model.hasFiniteLifetime,
        "observed_survival_pct_0_to_12": try observedSurvival(fields),
      ]
    case .homogeneous(let churn, let logLikelihood):
      return [
        "status": "homogeneous limit (alpha, beta to infinity)", "geometric_churn": churn,
        "log_likelihood": logLikelihood,
      ]
    case .polarised(let churn, let logLikelihood):
      return [
        "status": "polarised limit (alpha, beta to 0)", "first_period_churn": churn,
        "log_likelihood": logLikelihood,
      ]
    case .notIdentified:
      return ["status": "not identified"]
    }
  }
}

extension Fields {
  /// Reads `alive`, the customers left at 0, 1, 2, … renewals; shares or percentages work too.
  func renewals() throws -> RenewalCounts {
    let alive = try numbers("alive")
    guard alive.allSatisfy({ $0 >= 0 && $0 <= Self.mostUsers }), zip(alive, alive.dropFirst()).allSatisfy({ $0 >= $1 })
    else {
      throw CalculatorError.invalid("\(place).alive must be from 0 to 1e12 and must not rise")
    }
    var counts = RenewalCounts()
    counts.add(alive: alive)
    return counts
  }
}
