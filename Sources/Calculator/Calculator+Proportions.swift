internal import Statistics

extension Calculator {
  static let proportionIntervals: [String: Method] = {
    @Sendable func method(_ interval: @escaping @Sendable (Proportion, Double) -> Interval?) -> Method {
      { fields in
        values(
          interval(try fields.proportion("x", "n"), try fields.confidence()), else: "no trials",
          ["lower": \.low, "upper": \.high])
      }
    }
    return [
      "wilson": method { sample, confidence in
        wilsonInterval(
          successes: sample.successes, trials: sample.trials,
          z: NormalDistribution.criticalValue(confidence: confidence))
      },
      "jeffreys_bcd": method { jeffreysInterval($0, confidence: $1) },
      "clopper_pearson": method { clopperPearsonInterval($0, confidence: $1) },
      "agresti_coull_unclipped": method {
        agrestiCoullInterval($0, z: NormalDistribution.criticalValue(confidence: $1))
      },
      // The golden files use one name for the intervals of one rate and of a difference.
      "wald_unclipped": { fields in
        if fields.values["x1"] != nil { return try waldOfDifference(fields) }
        return try method { waldInterval($0, z: NormalDistribution.criticalValue(confidence: $1)) }(fields)
      },
    ]
  }()

  private static func difference(
    _ interval: @escaping @Sendable (Proportion, Proportion, Double) -> Interval?
  ) -> Method {
    { fields in
      let (one, two) = (try fields.proportion("x1", "n1"), try fields.proportion("x2", "n2"))
      let z = NormalDistribution.criticalValue(confidence: try fields.confidence())
      return values(interval(one, two, z), else: "an arm has no trials", ["lower": \.low, "upper": \.high])
    }
  }

  private static let waldOfDifference = difference { waldDifference($0, $1, z: $2) }

  static let proportionDifferences: [String: Method] = {
    return [
      "miettinen_nurminen": difference { miettinenNurminenDifference($0, $1, z: $2) },
      "mee": difference { meeDifference($0, $1, z: $2) },
      "newcombe_hybrid_score": difference { newcombeDifference($0, $1, z: $2) },
      "agresti_caffo_unclipped": difference { agrestiCaffoDifference($0, $1, z: $2) },
      "miettinen_nurminen_test": { fields in
        let (one, two) = (try fields.proportion("x1", "n1"), try fields.proportion("x2", "n2"))
        let margin = try fields.number("delta0", default: 0)
        guard abs(margin) < 1 else {
          throw CalculatorError.invalid("input.delta0 is \(margin), but must be between -1 and 1")
        }
        return values(
          miettinenNurminenTest(one, two, margin: margin), else: "all outcomes are equal",
          [
            "z": \.z, "p_greater": \.greaterP, "p_less": \.lessP, "p_two_sided": \.twoSidedP,
            "p1_null": \.treatmentNull, "p2_null": \.controlNull,
          ])
      },
    ]
  }()

  static let proportionTests: [String: Method] = [
    "z_pooled": { fields in
      values(
        pooledZTest(try fields.proportion("x1", "n1"), try fields.proportion("x2", "n2")),
        else: "all outcomes are equal", ["z": \.z, "p_two_sided": \.twoSidedP, "log10_p": \.log10P])
    },
    "n_minus_1_chi_square": { fields in
      values(
        nMinus1Test(try fields.proportion("x1", "n1"), try fields.proportion("x2", "n2")),
        else: "all outcomes are equal", ["chi2": \.chiSquare, "p": \.p])
    },
    "fisher_exact": { fields in
      values(
        fisherTest(try fields.proportion("x1", "n1"), try fields.proportion("x2", "n2")), else: "an arm has no trials",
        ["p_two_sided": \.twoSidedP, "p_greater": \.greaterP, "p_less": \.lessP, "p_two_sided_midp": \.midP])
    },
    "boschloo_exact": { fields in
      do {
        let (one, two) = (try fields.proportion("x1", "n1"), try fields.proportion("x2", "n2"))
        // The golden values are SciPy's for the table [[x1, n1 - x1], [x2, n2 - x2]], whose *columns* it takes as the
        // samples: it compares the arm's share of successes with its share of failures.
        let successes = Proportion(successes: one.successes, trials: one.successes + two.successes)
        let failures = Proportion(successes: one.failures, trials: one.failures + two.failures)
        guard let p = try boschlooTest(successes, failures), let byArm = try boschlooTest(one, two) else {
          return notEstimable("all outcomes are equal", ["p_two_sided", "p_two_sided_arms_fixed"])
        }
        return ["p_two_sided": p, "p_two_sided_arms_fixed": byArm]
      } catch ExactTestError.tooLarge(let trials, let limit) {
        throw CalculatorError.unanswerable(
          "boschloo_exact enumerates at most \(Int(limit)) trials, not \(Int(trials)); use miettinen_nurminen_test")
      }
    },
  ]

  static let ratioMethods: [String: Method] = {
    @Sendable func method(
      _ reason: String, _ interval: @escaping @Sendable (Proportion, Proportion, Double) -> Interval?
    ) -> Method {
      { fields in
        let (one, two) = (try fields.proportion("x1", "n1"), try fields.proportion("x2", "n2"))
        let z = NormalDistribution.criticalValue(confidence: try fields.confidence())
        return values(
          interval(one, two, z), else: reason,
          [
            "ratio_lower": \.low, "ratio_upper": \.high, "lift_lower": { $0.low - 1 }, "lift_upper": { $0.high - 1 },
          ])
      }
    }
    @Sendable func means(_ fields: Fields) throws -> (treatment: MeanEstimate, control: MeanEstimate, critical: Double)
    {
      (
        MeanEstimate(mean: try fields.number("mean_t"), standardError: try fields.notNegative("se_t")),
        MeanEstimate(mean: try fields.number("mean_c"), standardError: try fields.notNegative("se_c")),
        try fields.notNegative("critical_value")
      )
    }
    return [
      "miettinen_nurminen_ratio": method("an arm has no trials") { scoreRatio($0, $1, z: $2) },
      "koopman_score_ratio": method("an arm has no trials") { scoreRatio($0, $1, z: $2, corrected: false) },
      "katz_log_ratio": method("an arm has no success; use a score interval") { katzLogRatio($0, $1, z: $2) },
      "mover_r_wilson_ratio": method("an arm has no trials") { moverRatio($0, $1, z: $2) },
      "delta_method_lift": { fields in
        let input = try means(fields)
        return values(
          deltaLift(input.treatment, input.control, critical: input.critical),
          else: "the control's mean is not above 0",
          ["lift": \.lift, "se": \.standardError, "lower": \.interval.low, "upper": \.interval.high])
      },
      "log_delta_lift": { fields in
        let input = try means(fields)
        guard input.control.mean > 0 else {
          return notEstimable("the control's mean is not above 0", ["lift", "lower", "upper"])
        }
        let lift: Values = ["lift": (input.treatment.mean - input.control.mean) / input.control.mean]
        let interval = logDeltaLift(input.treatment, input.control, critical: input.critical)
        return lift.with(values(interval, else: "a mean is not above 0", ["lower": \.low, "upper": \.high]))
      },
      "fieller_ratio": { fields in
        let input = try means(fields)
        return Self.fieller(
          fiellerRatio(input.treatment, input.control, critical: input.critical), kind: "kind", low: "ratio_lower",
          high: "ratio_upper")
      },
    ]
  }()

  /// Returns the kind of the set and its ends: those of the set itself if bounded, those of the gap if it is a
  /// complement.
  static func fieller(_ set: FiellerSet, kind: String, low: String, high: String) -> Values {
    switch set {
    case .bounded(let ends): [kind: "bounded", low: ends.low, high: ends.high]
    case .complement(let ends): [kind: "complement", low: ends.low, high: ends.high]
    case .wholeLine: [kind: "whole_line", low: JSONValue.null, high: JSONValue.null]
    }
  }
}
