internal import Statistics

extension Calculator {
  static let survivalMethods: [String: Method] = {
    @Sendable func kaplanMeier(
      _ interval: @escaping @Sendable (KaplanMeier<Double>.Step, Double) -> Interval?
    ) -> Method {
      { fields in
        let estimate = KaplanMeier(try fields.records().records)
        let z = NormalDistribution.criticalValue(confidence: try fields.confidence())
        let intervals = estimate.steps.map { interval($0, z) }
        func median(_ bound: (Interval) -> Double) -> Double? {
          KaplanMeier.median(of: zip(estimate.steps, intervals).map { ($0.time, $1.map(bound)) })
        }
        return [
          "time": estimate.steps.map(\.time), "n_risk": estimate.steps.map(\.atRisk),
          "n_event": estimate.steps.map(\.events), "surv": estimate.steps.map(\.survival),
          "se_greenwood": estimate.steps.map(\.standardError), "lower": intervals.map { $0?.low },
          "upper": intervals.map { $0?.high }, "median": estimate.midpointMedian, "median_lower": median(\.low),
          "median_upper": median(\.high),
        ]
      }
    }
    @Sendable func logRank(_ weight: LogRankWeight) -> Method {
      { fields in
        values(
          logRankTest(try fields.records().records, weight: weight),
          else: "fewer than two groups are at risk of an event",
          [
            "observed": \.observed, "expected": \.expected, "chi2": \.chiSquare, "df": \.degrees, "p": \.p,
            "var_observed_minus_expected_11": \.covariance[0][0],
          ])
      }
    }
    return [
      "kaplan_meier_log_log": kaplanMeier { $0.logLogInterval(z: $1) },
      "kaplan_meier_log": kaplanMeier { $0.logInterval(z: $1) },
      "kaplan_meier_plain": kaplanMeier { $0.plainInterval(z: $1) },
      "restricted_mean": { fields in
        let mean = KaplanMeier(try fields.records().records).restrictedMean(horizon: try fields.notNegative("tau"))
        return ["rmst": mean.mean, "se": mean.standardError]
      },
      "logrank": logRank(.equal),
      "peto_peto_g_rho_1": logRank(.petoPeto),
      "logrank_stratified": logRank(.equal),
    ]
  }()

  static let incidenceMethods: [String: Method] = [
    "aalen_johansen": { fields in
      let data = try fields.records()
      let horizons = try fields.numbers("times")
      var result: Values = [:]
      for (group, label) in data.groups.enumerated() {
        let records = data.records.filter { $0.group == group }
        let last = records.lazy.map(\.time).max() ?? 0
        let estimates = horizons.map { cumulativeIncidence(records, causes: max(1, data.causes), at: $0) }
        for cause in 1...max(1, data.causes) {
          // Like R cmprsk, gives no value past a group's last time.
          let aalen = horizons.map { $0 > last ? nil : aalenVariance(records, cause: cause, at: $0) }
          let values = zip(horizons, estimates).map { $0 > last ? nil : $1.estimates[cause - 1] }
          let greenwood = estimates.map { $0.variances[cause - 1] }
          let named: Values = ["estimate": values, "variance_aalen_cmprsk": aalen, "variance_greenwood": greenwood]
          result["\(label) \(cause)"] = named
        }
      }
      return result
    },
    "gray_test": { fields in
      let data = try fields.records()
      guard data.causes > 0, data.groups.count >= 2 else {
        return notEstimable("no end of any cause, or fewer than two groups", ["stat_by_cause", "p_by_cause", "df"])
      }
      let tests = (1...data.causes).map { grayTest(data.records, cause: $0) }
      return [
        "stat_by_cause": tests.map { $0?.chiSquare }, "p_by_cause": tests.map { $0?.p },
        "df": tests.map { $0?.degrees },
      ]
    },
    "fixed_horizon_difference_cause1": { fields in
      let data = try fields.records()
      guard data.groups.count == 2 else { throw CalculatorError.invalid("input.group must name two groups") }
      let result = fixedHorizonDifference(
        treatment: data.records.filter { $0.group == 1 }, control: data.records.filter { $0.group == 0 },
        at: try fields.number("tau"))
      return [
        "cif_1": result.control, "cif_2": result.treatment, "difference": result.difference,
        "se": result.standardError, "z_linear": result.zLinear, "p_linear": result.pLinear,
        "z_cloglog": result.zCloglog, "p_cloglog": result.pCloglog,
      ]
    },
    "pseudo_values_cause1": { fields in
      let (data, horizon) = (try fields.records(), try fields.number("tau"))
      let estimate = cumulativeIncidence(data.records, causes: max(1, data.causes), at: horizon).estimates[0]
      guard let values = pseudoValues(data.records, at: horizon) else {
        return notEstimable("fewer than two subjects", ["estimate", "pseudo_values"])
      }
      return ["estimate": estimate, "pseudo_values": values]
    },
  ]
}

extension Fields {
  /// Reads subjects from `time`, `status` (0 is censored) and, if given, `group` and `strata`; groups in ascending
  /// order.
  func records() throws -> (records: [SurvivalRecord], groups: [String], causes: Int) {
    try requireEqualCounts("time", "status")
    let times = try numbers("time")
    let causes = try counts("status")
    func labels(_ name: String) throws -> (places: [Int], names: [String]) {
      guard values[name] != nil else { return ([Int](repeating: 0, count: times.count), ["1"]) }
      try requireEqualCounts("time", name)
      let values = try numbers(name)
      let distinct = Set(values).sorted()
      let places = Dictionary(uniqueKeysWithValues: distinct.enumerated().map { ($1, $0) })
      return (values.map { places[$0]! }, distinct.map { JSONValue($0).text })
    }
    let (groups, strata) = (try labels("group"), try labels("strata"))
    guard causes.allSatisfy({ $0 <= 100 }) else {
      throw CalculatorError.invalid("\(place).status must be 0 or a cause from 1 to 100")
    }
    guard !times.isEmpty else { throw CalculatorError.invalid("\(place).time must have one or more numbers") }
    let records = times.indices.map { index in
      SurvivalRecord(
        time: times[index], cause: Int(causes[index]), group: groups.places[index], stratum: strata.places[index])
    }
    return (records, groups.names, Int(causes.max() ?? 0))
  }
}
