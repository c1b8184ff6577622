internal import Statistics

extension Calculator {
  static let decisionMethods: [String: Method] = [
    "posterior_summary": { fields in
      let posterior = try fields.posterior("x", "n")
      let tail = (1 - (try fields.confidence())) / 2
      return [
        "mean": posterior.mean, "sd": posterior.standardDeviation, "q025": posterior.quantile(tail),
        "median": posterior.quantile(0.5), "q975": posterior.upperQuantile(tail),
      ]
    },
    "two_arm": { fields in
      let posteriors = [try fields.posterior("x_a", "n_a"), try fields.posterior("x_b", "n_b")]
      let decision = try Self.decision(posteriors)
      return [
        "p_a_beats_b": decision.bestProbabilities[0], "p_b_beats_a": decision.bestProbabilities[1],
        "expected_loss_choose_a": decision.expectedLosses[0], "expected_loss_choose_b": decision.expectedLosses[1],
      ]
    },
    "k_arm": { fields in
      let posteriors = try fields.objects("arms").map { try fields.posterior(of: try $0.proportion("x", "n")) }
      guard (2...100).contains(posteriors.count) else {
        throw CalculatorError.invalid("input.arms must have 2 to 100 arms")
      }
      let decision = try Self.decision(posteriors)
      return ["p_best": decision.bestProbabilities, "expected_loss": decision.expectedLosses]
    },
    "normal_posterior_decision": { fields in
      let decision = normalDecision(mean: try fields.number("mean"), sd: try fields.positive("sd"))
      return [
        "chance_to_win": decision.chanceToWin, "expected_loss_choose_treatment": decision.treatmentLoss,
        "expected_loss_choose_control": decision.controlLoss,
      ]
    },
  ]

  static func decision(_ posteriors: [BetaDistribution]) throws -> ArmsDecision {
    guard let decision = betaDecision(posteriors) else {
      throw CalculatorError.unanswerable("the quadrature of these posteriors does not sum to 1 within 1e-9")
    }
    return decision
  }
}

extension Fields {
  /// Returns the posterior of a rate from its counts and the prior's `prior_a` and `prior_b`.
  func posterior(_ successes: String, _ trials: String) throws -> BetaDistribution {
    try posterior(of: try proportion(successes, trials))
  }

  /// Returns the posterior of a rate for up to 10⁹ users; beyond that the quadrature takes seconds.
  func posterior(of sample: Proportion) throws -> BetaDistribution {
    let (a, b) = (try shape("prior_a") + sample.successes, try shape("prior_b") + sample.failures)
    guard a + b <= 1e9 else {
      throw CalculatorError.unanswerable("prior and users together are \(a + b), but must be at most 1e9")
    }
    return BetaDistribution(a: a, b: b)
  }
}
