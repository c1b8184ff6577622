internal import Statistics

extension JSONValue {
  /// Returns the two bounds under their names; both are null if there is no interval.
  static func bounds(_ interval: Interval?, _ low: String = "lower", _ high: String = "upper") -> [String: JSONValue] {
    [low: JSONValue(interval?.low), high: JSONValue(interval?.high)]
  }
}

/// Returns null for each name, and the reason why the data give no result.
func notEstimable(_ reason: String, _ names: String...) -> [String: JSONValue] {
  var result: [String: JSONValue] = ["reason": .string("not estimable: \(reason)")]
  for name in names { result[name] = .null }
  return result
}

extension Calculator {
  static let proportionIntervals: [String: Method] = {
    @Sendable func method(_ interval: @escaping @Sendable (Proportion, Double) -> Interval?) -> Method {
      { fields in
        let (sample, confidence) = (try fields.proportion("x", "n"), try fields.confidence())
        guard let interval = interval(sample, confidence) else { return notEstimable("no trials", "lower", "upper") }
        return JSONValue.bounds(interval)
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
      guard let interval = interval(one, two, z) else { return notEstimable("an arm has no trials", "lower", "upper") }
      return JSONValue.bounds(interval)
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
        guard let test = miettinenNurminenTest(one, two, margin: margin) else {
          return notEstimable(
            "all outcomes are equal", "z", "p_greater", "p_less", "p_two_sided", "p1_null", "p2_null")
        }
        return [
          "z": JSONValue(test.z), "p_greater": JSONValue(test.greaterP), "p_less": JSONValue(test.lessP),
          "p_two_sided": JSONValue(test.twoSidedP), "p1_null": JSONValue(test.treatmentNull),
          "p2_null": JSONValue(test.controlNull),
        ]
      },
    ]
  }()

  static let proportionTests: [String: Method] = [
    "z_pooled": { fields in
      guard let test = pooledZTest(try fields.proportion("x1", "n1"), try fields.proportion("x2", "n2")) else {
        return notEstimable("all outcomes are equal", "z", "p_two_sided", "log10_p")
      }
      return [
        "z": JSONValue(test.z), "p_two_sided": JSONValue(test.twoSidedP), "log10_p": JSONValue(test.log10P),
      ]
    },
    "n_minus_1_chi_square": { fields in
      guard let test = nMinus1Test(try fields.proportion("x1", "n1"), try fields.proportion("x2", "n2")) else {
        return notEstimable("all outcomes are equal", "chi2", "p")
      }
      return ["chi2": JSONValue(test.chiSquare), "p": JSONValue(test.p)]
    },
    "fisher_exact": { fields in
      guard let test = fisherTest(try fields.proportion("x1", "n1"), try fields.proportion("x2", "n2")) else {
        return notEstimable("an arm has no trials", "p_two_sided", "p_greater", "p_less", "p_two_sided_midp")
      }
      return [
        "p_two_sided": JSONValue(test.twoSidedP), "p_greater": JSONValue(test.greaterP),
        "p_less": JSONValue(test.lessP), "p_two_sided_midp": JSONValue(test.midP),
      ]
    },
    "boschloo_exact": { fields in
      do {
        let (one, two) = (try fields.proportion("x1", "n1"), try fields.proportion("x2", "n2"))
        // The golden values are SciPy's for the table [[x1, n1 - x1], [x2, n2 - x2]], whose *columns* it takes as the
        // samples: it compares the arm's share of successes with its share of failures.
        let successes = Proportion(successes: one.successes, trials: one.successes + two.successes)
        let failures = Proportion(successes: one.failures, trials: one.failures + two.failures)
        guard let p = try boschlooTest(successes, failures), let byArm = try boschlooTest(one, two) else {
          return notEstimable("all outcomes are equal", "p_two_sided", "p_two_sided_arms_fixed")
        }
        return ["p_two_sided": JSONValue(p), "p_two_sided_arms_fixed": JSONValue(byArm)]
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
        guard let ratio = interval(one, two, z) else {
          return notEstimable(reason, "ratio_lower", "ratio_upper", "lift_lower", "lift_upper")
        }
        return JSONValue.bounds(ratio, "ratio_lower", "ratio_upper").merging(
          JSONValue.bounds(Interval(low: ratio.low - 1, high: ratio.high - 1), "lift_lower", "lift_upper")
        ) { one, _ in one }
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
        guard let lift = deltaLift(input.treatment, input.control, critical: input.critical) else {
          return notEstimable("the control's mean is not above 0", "lift", "se", "lower", "upper")
        }
        return ["lift": JSONValue(lift.lift), "se": JSONValue(lift.standardError)].merging(
          JSONValue.bounds(lift.interval)
        ) { one, _ in one }
      },
      "log_delta_lift": { fields in
        let input = try means(fields)
        guard input.control.mean > 0 else {
          return notEstimable("the control's mean is not above 0", "lift", "lower", "upper")
        }
        let lift = ["lift": JSONValue((input.treatment.mean - input.control.mean) / input.control.mean)]
        guard let interval = logDeltaLift(input.treatment, input.control, critical: input.critical) else {
          return notEstimable("a mean is not above 0", "lower", "upper").merging(lift) { one, _ in one }
        }
        return lift.merging(JSONValue.bounds(interval)) { one, _ in one }
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
  static func fieller(_ set: FiellerSet, kind: String, low: String, high: String) -> [String: JSONValue] {
    switch set {
    case .bounded(let ends): [kind: .string("bounded"), low: JSONValue(ends.low), high: JSONValue(ends.high)]
    case .complement(let ends): [kind: .string("complement"), low: JSONValue(ends.low), high: JSONValue(ends.high)]
    case .wholeLine: [kind: .string("whole_line"), low: .null, high: .null]
    }
  }
}
