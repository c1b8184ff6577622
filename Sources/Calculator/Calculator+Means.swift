internal import Statistics

extension Calculator {
  static let meanMethods: [String: Method] = [
    "welch_from_summary": { fields in
      func arm(_ suffix: String) throws -> MeanArm {
        let (sd, count) = (try fields.notNegative("sd_\(suffix)"), try fields.positive("n_\(suffix)"))
        return MeanArm(mean: try fields.number("mean_\(suffix)"), variance: sd / count * sd, count: count)
      }
      return Self.welch(try arm("t"), try arm("c"), confidence: try fields.confidence())
    },
    "welch_from_raw": { fields in
      let (own, other) = (Moments(try fields.numbers("treatment")), Moments(try fields.numbers("control")))
      guard let treatment = MeanArm(own), let control = MeanArm(other) else {
        return notEstimable(
          "an arm has fewer than two values", ["diff", "se", "df", "t", "p_two_sided", "lower", "upper"])
      }
      return Self.welch(treatment, control, confidence: try fields.confidence()).with([
        "mean_t": own.mean, "var_t": own.variance, "mean_c": other.mean, "var_c": other.variance,
      ])
    },
    "quantile": { fields in
      let (sorted, p) = (try fields.numbers("data").sorted(), try fields.probability("p"))
      return [
        "type7_linear": sampleQuantile(ofSorted: sorted, p),
        "type1_inverted_cdf": sampleQuantile(ofSorted: sorted, p, rule: .invertedCDF),
      ]
    },
    "winsorise_upper_pooled": { fields in
      let values = try fields.numbers("data")
      let rule: QuantileRule
      switch try fields.number("quantile_type", default: 7) {
      case 7: rule = .linear
      case 1: rule = .invertedCDF
      case let type: throw CalculatorError.invalid("input.quantile_type is \(type), but must be 7 or 1")
      }
      guard let cap = sampleQuantile(ofSorted: values.sorted(), try fields.probability("upper_p"), rule: rule) else {
        return notEstimable("no values", ["cap", "mean", "var", "n_capped"])
      }
      let capped = winsorised(values, cap: cap)
      let moments = Moments(capped.values)
      return [
        "cap": cap, "mean": moments.mean, "var": moments.variance, "n_capped": capped.cappedCount,
        "amount_capped": capped.cappedAmount,
      ]
    },
    "ideal_bootstrap_mean": { fields in
      let values = try fields.numbers("data")
      guard let bootstrap = idealBootstrap(ofMean: values) else {
        throw CalculatorError.unanswerable("all resamples are enumerated for 1 to 9 values, not \(values.count)")
      }
      return [
        "q025": bootstrap.quantile025, "q50": bootstrap.median, "q975": bootstrap.quantile975,
        "mean": bootstrap.mean, "sd": bootstrap.standardDeviation,
      ]
    },
    "moments_skewness": { fields in
      let moments = Moments(try fields.numbers("data"))
      return [
        "mean": moments.mean, "sd": moments.standardDeviation, "skewness_g1": moments.skewness,
        "kohavi_min_n_355s2": moments.leastCountForNormalMean,
        "poisson_bootstrap_var_of_mean": moments.poissonBootstrapVariance,
      ]
    },
    "ratio_metric_delta": { fields in
      func arm(_ name: String) throws -> MeanArm? {
        if fields.values["raw_\(name)"] != nil {
          let raw = try fields.fields("raw_\(name)")
          return ratioArm(try raw.ratioUnits("num", "den"))
        }
        let sums = try fields.fields(name)
        return RatioSums(
          count: try sums.count("n"), numerator: try sums.number("num_sum"),
          numeratorSquares: try sums.number("num_sum_sq"), denominator: try sums.number("den_sum"),
          denominatorSquares: try sums.number("den_sum_sq"), products: try sums.number("num_den_sum")
        ).arm
      }
      let confidence = try fields.confidence()
      guard let treatment = try arm("treatment"), let control = try arm("control") else {
        return notEstimable(
          "a denominator sums to 0 or an arm has fewer than two users",
          ["ratio_t", "var_t", "ratio_c", "var_c", "diff", "se", "df", "t", "p_two_sided", "lower", "upper"])
      }
      // Fieller's set with the normal critical value, as in the golden file.
      let set = fiellerRatio(
        treatment.estimate, control.estimate, critical: NormalDistribution.criticalValue(confidence: confidence))
      return Self.welch(treatment, control, confidence: confidence).with([
        "ratio_t": treatment.mean, "var_t": treatment.variance, "ratio_c": control.mean, "var_c": control.variance,
      ]).with(Self.fieller(set, kind: "fieller_kind", low: "fieller_ratio_lower", high: "fieller_ratio_upper"))
    },
  ]

  /// Returns Welch's test under the names of the golden files.
  static func welch(_ treatment: MeanArm, _ control: MeanArm, confidence: Double) -> Values {
    let test = welchTest(treatment, control, confidence: confidence)
    return values(
      test, else: "nothing varies, or an arm has fewer than two users",
      [
        "se": \.standardError, "df": \.degrees, "t": \.t, "p_two_sided": \.twoSidedP, "log10_p": \.log10P,
        "lower": \.interval.low, "upper": \.interval.high,
      ]
    ).with(["diff": test?.difference ?? treatment.mean - control.mean])
  }

  private static let nothingVaries = "nothing varies, or an arm has fewer than two users"
  private static let adjustedNames = [
    "diff", "se", "df", "p_two_sided", "lower", "upper", "unadjusted_diff", "unadjusted_se",
  ]

  /// Returns a test adjusted by history, beside the one without.
  private static func adjusted(_ test: WelchTest, _ plain: WelchTest, _ varianceReduction: Double?) -> Values {
    bounds(test.interval).with([
      "diff": test.difference, "se": test.standardError, "df": test.degrees, "p_two_sided": test.twoSidedP,
      "unadjusted_diff": plain.difference, "unadjusted_se": plain.standardError,
      "variance_reduction": varianceReduction,
    ])
  }

  static let covariateMethods: [String: Method] = [
    "cuped_mean": { fields in
      func arm(_ name: String) throws -> [HistoryGroup] {
        let arm = try fields.fields(name)
        try arm.requireEqualCounts("pre", "post")
        return zip(try arm.numbers("pre"), try arm.numbers("post")).map {
          HistoryGroup(
            before: RatioUnit(numerator: $0, denominator: 1), after: RatioUnit(numerator: $1, denominator: 1))
        }
      }
      let (treatment, control) = (try arm("treatment"), try arm("control"))
      guard let result = cupedTest(treatment: treatment, control: control, confidence: try fields.confidence()) else {
        return notEstimable(
          nothingVaries, ["theta", "adj_mean_t", "adj_var_t", "adj_mean_c", "adj_var_c"] + adjustedNames)
      }
      return Self.adjusted(result.adjusted, result.unadjusted, result.adjustment.varianceReduction).with([
        "theta": result.adjustment.theta, "adj_mean_t": result.treatment.mean,
        "adj_var_t": result.treatment.variance * result.treatment.count, "adj_mean_c": result.control.mean,
        "adj_var_c": result.control.variance * result.control.count,
      ])
    },
    "interacted_regression_hc2": { fields in
      func arm(_ name: String) throws -> [CovariateUser] {
        let arm = try fields.fields(name)
        try arm.requireEqualCounts("pre", "post")
        guard case .array(let histories)? = arm.values["pre"] else { return [] }
        return try zip(histories, try arm.numbers("post")).map { history, outcome in
          let known = history == .null ? nil : try Fields(values: ["pre": history], place: arm.place).number("pre")
          return CovariateUser(history: known, outcome: outcome)
        }
      }
      let result = interactedRegression(
        treatment: try arm("treatment"), control: try arm("control"), confidence: try fields.confidence())
      guard let result else { return notEstimable(nothingVaries, adjustedNames) }
      return Self.adjusted(result.adjusted, result.unadjusted, result.varianceReduction)
    },
    "cuped_ratio": { fields in
      func arm(_ name: String) throws -> [HistoryGroup] {
        let arm = try fields.fields(name)
        try arm.requireEqualCounts("pre_num", "pre_den", "post_num", "post_den")
        return zip(try arm.ratioUnits("pre_num", "pre_den"), try arm.ratioUnits("post_num", "post_den"))
          .map { HistoryGroup(before: $0, after: $1) }
      }
      return values(
        cupedRatio(treatment: try arm("treatment"), control: try arm("control")),
        else: "a denominator sums to 0 or an arm has fewer than two users",
        ["theta": \.theta, "diff": \.difference, "se": \.standardError, "unadjusted_diff": \.unadjustedDifference])
    },
  ]
}

extension Fields {
  func ratioUnits(_ numerator: String, _ denominator: String) throws -> [RatioUnit] {
    try requireEqualCounts(numerator, denominator)
    return zip(try numbers(numerator), try numbers(denominator)).map { RatioUnit(numerator: $0, denominator: $1) }
  }
}
