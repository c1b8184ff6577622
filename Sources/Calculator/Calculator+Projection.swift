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
        "pmf_1_to_6": JSONValue(model.churn(through: 6)),
        "survival_1_to_6": JSONValue(Array(model.survival(through: 6).dropFirst())),
        "retention_1_to_6": JSONValue((1...6).map { model.retention(at: $0) }),
        "del_discount_10pct": JSONValue(model.discountedLifetime(discount: 0.1)),
      ]
    },
    "bdw_fit": { fields in
      guard let fit = betaDiscreteWeibullFit(try fields.renewals()) else {
        return ["status": .string("not identified")]
      }
      return [
        "alpha": JSONValue(fit.model.alpha), "beta": JSONValue(fit.model.beta), "c": JSONValue(fit.model.c),
        "log_likelihood": JSONValue(fit.logLikelihood),
        "survival_0_to_12": JSONValue(fit.model.survival(through: 12)),
      ]
    },
  ]

  /// Returns the percentage of the cohort still alive at 0…12 renewals; null where the data end.
  private static func observedSurvival(_ fields: Fields) throws -> JSONValue {
    let alive = try fields.numbers("alive")
    return JSONValue((0...12).map { alive.indices.contains($0) ? 100 * (alive[$0] / alive[0]) : nil })
  }

  /// Returns the parameters of a fit, or the reason why there is none.
  private static func fit(_ fields: Fields) throws -> [String: JSONValue] {
    switch shiftedBetaGeometricFit(try fields.renewals()) {
    case .fitted(let model, let logLikelihood):
      return [
        "status": .string("fitted"), "alpha": JSONValue(model.alpha), "beta": JSONValue(model.beta),
        "log_likelihood": JSONValue(logLikelihood), "survival_0_to_12": JSONValue(model.survival(through: 12)),
        "retention_rate_1_to_12": JSONValue((1...12).map { model.retention(at: $0) }),
        "derl_10pct_in_contract_period_1_to_8": JSONValue(
          (1...8).map { model.discountedResidual(inContractPeriod: $0, discount: 0.1) }),
        "expected_lifetime_finite": .bool(model.hasFiniteLifetime),
        "observed_survival_pct_0_to_12": try observedSurvival(fields),
      ]
    case .homogeneous(let churn, let logLikelihood):
      return [
        "status": .string("homogeneous limit (alpha, beta to infinity)"), "geometric_churn": JSONValue(churn),
        "log_likelihood": JSONValue(logLikelihood),
      ]
    case .polarised(let churn, let logLikelihood):
      return [
        "status": .string("polarised limit (alpha, beta to 0)"), "first_period_churn": JSONValue(churn),
        "log_likelihood": JSONValue(logLikelihood),
      ]
    case .notIdentified:
      return ["status": .string("not identified")]
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
