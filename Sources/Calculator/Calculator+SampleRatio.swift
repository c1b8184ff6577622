internal import Statistics

extension Calculator {
  static let sampleRatioMethods: [String: Method] = [
    "chi_square_gof": { fields in
      let test = sampleRatioTest(observed: try fields.counts("observed"), weights: try fields.weights())
      var result: Values = ["chi2": test.chiSquare, "p": test.p, "df": test.degrees]
      if test.chiSquare == nil { result["reason"] = "not estimable: no users" }
      if test.isLeaking { result["leak"] = true }
      return result
    },
    "exact_binomial": { fields in
      let (observed, weights) = (try fields.counts("observed"), try fields.weights())
      guard observed.count == 2, weights.allSatisfy({ $0 > 0 }) else {
        throw CalculatorError.invalid("input.observed must have two arms, both with a weight above 0")
      }
      let sample = Proportion(successes: observed[0], trials: observed[0] + observed[1])
      let share = weights[0] / (weights[0] + weights[1])
      return values(exactBinomialTest(sample, share: share), else: "no users", ["p": { $0 }])
    },
    "exact_multinomial": { fields in
      let (observed, weights) = (try fields.counts("observed"), try fields.weights())
      guard weights.allSatisfy({ $0 > 0 }) else {
        throw CalculatorError.invalid("input.weights must be above 0")
      }
      let total = weights.reduce(0, +)
      guard observed.contains(where: { $0 > 0 }) else { return notEstimable("no users", ["p"]) }
      guard let p = exactMultinomialTest(observed: observed, shares: weights.map { $0 / total }) else {
        throw CalculatorError.unanswerable("there are more than two million outcomes; use chi_square_gof")
      }
      return ["p": p]
    },
    "zero_weight_arm": { fields in
      let test = sampleRatioTest(observed: try fields.counts("observed"), weights: try fields.weights())
      return ["leak": test.isLeaking, "chi2_df_excluding_zero_weight": test.degrees]
    },
    "sequential_multinomial": { fields in
      let weights = try fields.numbers("weights")
      guard weights.count >= 2, weights.allSatisfy({ $0 >= 1e-6 && $0 <= 1e6 }) else {
        throw CalculatorError.invalid("input.weights must be two or more numbers from 1e-6 to 1e6")
      }
      var check = SequentialSampleRatio(weights: weights, concentration: try fields.shape("concentration"))
      var (path, p): ([Double], [Double]) = ([], [])
      for look in try fields.rows("looks") {
        guard look.count == weights.count, look.allSatisfy({ $0 >= 0 && $0.rounded() == $0 && $0 <= Fields.mostUsers })
        else {
          throw CalculatorError.invalid("input.looks must be one whole number, 0 or more, an arm")
        }
        check.add(look)
        path.append(check.logBayesFactor)
        p.append(check.p.value)
      }
      return [
        "log_bayes_factor": path, "p_always_valid": p, "posterior_srm_prior_odds_1": check.posteriorProbability,
      ]
    },
  ]

  static let multiplicityMethods: [String: Method] = [
    "adjusted_p": { fields in
      guard case .array(let items)? = fields.values["p"] else {
        throw CalculatorError.invalid("input.p must be a list of numbers from 0 to 1, or null where undefined")
      }
      let values = try items.map { item -> Double? in
        if item == .null { return nil }
        return try Fields(values: ["p": item]).probability("p")
      }
      let alpha = try fields.alpha()
      let (holm, hochberg) = (Adjustment.holm.adjusted(values), Adjustment.benjaminiHochberg.adjusted(values))
      func rejections(_ adjusted: [Double?]) -> Int { adjusted.count { ($0 ?? 2) <= alpha } }
      return [
        "holm": holm, "hochberg": Adjustment.hochberg.adjusted(values), "bh": hochberg,
        "by": Adjustment.benjaminiYekutieli.adjusted(values), "bonferroni": Adjustment.bonferroni.adjusted(values),
        "holm_rejections": rejections(holm), "bh_rejections": rejections(hochberg),
      ]
    }
  ]
}

extension Fields {
  /// Reads the planned weights, one per observed arm: 0 or more, at least two of them above 0.
  func weights() throws -> [Double] {
    try requireEqualCounts("observed", "weights")
    let weights = try numbers("weights")
    guard weights.allSatisfy({ $0 == 0 || ($0 >= 1e-6 && $0 <= 1e6) }), weights.count(where: { $0 > 0 }) >= 2 else {
      throw CalculatorError.invalid("\(place).weights must be 0 or from 1e-6 to 1e6, and two of them above 0")
    }
    return weights
  }
}
