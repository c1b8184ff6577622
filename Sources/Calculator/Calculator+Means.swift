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
          "an arm has fewer than two values", "diff", "se", "df", "t", "p_two_sided", "lower", "upper")
      }
      return Self.welch(treatment, control, confidence: try fields.confidence()).merging([
        "mean_t": JSONValue(own.mean), "var_t": JSONValue(own.variance), "mean_c": JSONValue(other.mean),
        "var_c": JSONValue(other.variance),
      ]) { one, _ in one }
    },
    "quantile": { fields in
      let (sorted, p) = (try fields.numbers("data").sorted(), try fields.probability("p"))
      return [
        "type7_linear": JSONValue(sampleQuantile(ofSorted: sorted, p)),
        "type1_inverted_cdf": JSONValue(sampleQuantile(ofSorted: sorted, p, rule: .invertedCDF)),
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
        return notEstimable("no values", "cap", "mean", "var", "n_capped")
      }
      let capped = winsorised(values, cap: cap)
      let moments = Moments(capped.values)
      return [
        "cap": JSONValue(cap), "mean": JSONValue(moments.mean), "var": JSONValue(moments.variance),
        "n_capped": .number(Double(capped.cappedCount)), "amount_capped": JSONValue(capped.cappedAmount),
      ]
    },
    "ideal_bootstrap_mean": { fields in
      let values = try fields.numbers("data")
      guard let bootstrap = idealBootstrap(ofMean: values) else {
        throw CalculatorError.unanswerable("all resamples are enumerated for 1 to 9 values, not \(values.count)")
      }
      return [
        "q025": JSONValue(bootstrap.quantile025), "q50": JSONValue(bootstrap.median),
        "q975": JSONValue(bootstrap.quantile975), "mean": JSONValue(bootstrap.mean),
        "sd": JSONValue(bootstrap.standardDeviation),
      ]
    },
    "moments_skewness": { fields in
      let moments = Moments(try fields.numbers("data"))
      return [
        "mean": JSONValue(moments.mean), "sd": JSONValue(moments.standardDeviation),
        "skewness_g1": JSONValue(moments.skewness), "kohavi_min_n_355s2": JSONValue(moments.leastCountForNormalMean),
        "poisson_bootstrap_var_of_mean": JSONValue(moments.poissonBootstrapVariance),
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
          "a denominator sums to 0 or an arm has fewer than two users", "ratio_t", "var_t", "ratio_c", "var_c", "diff",
          "se", "df", "t", "p_two_sided", "lower", "upper")
      }
      var result = Self.welch(treatment, control, confidence: confidence)
      result["ratio_t"] = JSONValue(treatment.mean)
      result["var_t"] = JSONValue(treatment.variance)
      result["ratio_c"] = JSONValue(control.mean)
      result["var_c"] = JSONValue(control.variance)
      // Fieller's set with the normal critical value, as in the golden file.
      let set = fiellerRatio(
        treatment.estimate, control.estimate, critical: NormalDistribution.criticalValue(confidence: confidence))
      return result.merging(
        Self.fieller(set, kind: "fieller_kind", low: "fieller_ratio_lower", high: "fieller_ratio_upper")
      ) { one, _ in one }
    },
  ]

  /// Returns Welch's test under the names of the golden files.
  static func welch(_ treatment: MeanArm, _ control: MeanArm, confidence: Double) -> [String: JSONValue] {
    guard let test = welchTest(treatment, control, confidence: confidence) else {
      return notEstimable(
        "nothing varies, or an arm has fewer than two users", "diff", "se", "df", "t", "p_two_sided", "log10_p",
        "lower", "upper"
      ).merging(["diff": JSONValue(treatment.mean - control.mean)]) { _, known in known }
    }
    return [
      "diff": JSONValue(test.difference), "se": JSONValue(test.standardError), "df": JSONValue(test.degrees),
      "t": JSONValue(test.t), "p_two_sided": JSONValue(test.twoSidedP), "log10_p": JSONValue(test.log10P),
    ].merging(JSONValue.bounds(test.interval)) { one, _ in one }
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
          "nothing varies, or an arm has fewer than two users", "theta", "adj_mean_t", "adj_var_t", "adj_mean_c",
          "adj_var_c", "diff", "se", "df", "p_two_sided", "lower", "upper", "unadjusted_diff", "unadjusted_se")
      }
      return [
        "theta": JSONValue(result.adjustment.theta), "adj_mean_t": JSONValue(result.treatment.mean),
        "adj_var_t": JSONValue(result.treatment.variance * result.treatment.count),
        "adj_mean_c": JSONValue(result.control.mean),
        "adj_var_c": JSONValue(result.control.variance * result.control.count),
        "diff": JSONValue(result.adjusted.difference),
        "se": JSONValue(result.adjusted.standardError), "df": JSONValue(result.adjusted.degrees),
        "p_two_sided": JSONValue(result.adjusted.twoSidedP),
        "unadjusted_diff": JSONValue(result.unadjusted.difference),
        "unadjusted_se": JSONValue(result.unadjusted.standardError),
        "variance_reduction": JSONValue(result.adjustment.varianceReduction),
      ].merging(JSONValue.bounds(result.adjusted.interval)) { one, _ in one }
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
      guard let result else {
        return notEstimable(
          "nothing varies, or an arm has fewer than two users", "diff", "se", "df", "p_two_sided", "lower", "upper",
          "unadjusted_diff", "unadjusted_se")
      }
      return [
        "diff": JSONValue(result.adjusted.difference), "se": JSONValue(result.adjusted.standardError),
        "df": JSONValue(result.adjusted.degrees), "p_two_sided": JSONValue(result.adjusted.twoSidedP),
        "unadjusted_diff": JSONValue(result.unadjusted.difference),
        "unadjusted_se": JSONValue(result.unadjusted.standardError),
        "variance_reduction": JSONValue(result.varianceReduction),
      ].merging(JSONValue.bounds(result.adjusted.interval)) { one, _ in one }
    },
    "cuped_ratio": { fields in
      func arm(_ name: String) throws -> [HistoryGroup] {
        let arm = try fields.fields(name)
        try arm.requireEqualCounts("pre_num", "pre_den", "post_num", "post_den")
        return zip(try arm.ratioUnits("pre_num", "pre_den"), try arm.ratioUnits("post_num", "post_den"))
          .map { HistoryGroup(before: $0, after: $1) }
      }
      guard let result = cupedRatio(treatment: try arm("treatment"), control: try arm("control")) else {
        return notEstimable(
          "a denominator sums to 0 or an arm has fewer than two users", "theta", "diff", "se", "unadjusted_diff")
      }
      return [
        "theta": JSONValue(result.theta), "diff": JSONValue(result.difference),
        "se": JSONValue(result.standardError), "unadjusted_diff": JSONValue(result.unadjustedDifference),
      ]
    },
  ]
}

extension Fields {
  func ratioUnits(_ numerator: String, _ denominator: String) throws -> [RatioUnit] {
    try requireEqualCounts(numerator, denominator)
    return zip(try numbers(numerator), try numbers(denominator)).map { RatioUnit(numerator: $0, denominator: $1) }
  }
}
