internal import Statistics

extension Calculator {
  static let sequentialMethods: [String: Method] = [
    "asymptotic_cs_difference": { fields in
      let sequence = try fields.asymptoticSequence()
      let (treatment, control) = (try fields.proportion("x_t", "n_t"), try fields.proportion("x_c", "n_c"))
      return values(
        sequence.look(treatment, control), else: "nothing has varied yet",
        [
          "se": \.standardError, "estimate": \.estimate, "half_width": \.halfWidth, "log_e_value": \.logEValue,
          "p_always_valid": \.p, "critical_value_in_se": \.criticalValue,
          "one_sided_half_width": \.oneSidedHalfWidth, "lower": \.interval.low, "upper": \.interval.high,
        ]
      ).with(["rho": sequence.rho])
    },
    "boundary_in_standard_errors": { fields in
      let critical = try fields.asymptoticSequence().criticalValue(units: try fields.positive("n"))
      return ["critical_value": critical, "eppo_form": critical]
    },
    "msprt_normal": { fields in
      let look = mixtureSPRT(
        difference: try fields.number("difference"), variance: try fields.positive("variance_of_difference"),
        tau: try fields.positive("tau"), alpha: try fields.alpha())
      return ["log_lambda": look.logLambda, "p_always_valid": look.p, "half_width": look.halfWidth]
    },
    "statsig_msprt_critical_value": { fields in
      let value = statsigCriticalValue(
        treatmentVariance: try fields.positive("var_t"), controlVariance: try fields.positive("var_c"),
        treatmentCount: try fields.positive("n_t"), controlCount: try fields.positive("n_c"),
        alpha: try fields.alpha())
      return ["tau": value.tau, "z_star": value.z]
    },
    "beta_mixture_cs_one_sample": { fields in
      bounds(
        betaMixtureSequence(
          try fields.proportion("x", "n"), a: try fields.shape("mix_a"), b: try fields.shape("mix_b"),
          alpha: try fields.alpha()))
    },
    "conversion_share_e_process": { fields in
      let (control, treatment) = (try fields.count("conversions_c"), try fields.count("conversions_t"))
      let process = ConversionShare(
        allocation: [try fields.positive("allocation_c"), try fields.positive("allocation_t")],
        concentration: try fields.shape("concentration"))
      let logE = process.logEValue([control, treatment])
      var p = AlwaysValidP()
      p.look(logEValue: logE)
      let interval = process.rateRatio(control: control, treatment: treatment, alpha: try fields.alpha())
      return [
        "log_e_value": logE, "p_now": p.value,
        "rate_ratio_estimate": process.rateRatioEstimate(control: control, treatment: treatment),
      ].with(bounds(interval, "rate_ratio_lower", "rate_ratio_upper"))
    },
    "betting_cs_bounded_mean": { fields in
      let cap = try fields.positive("cap", default: 1)
      var sequence = BettingSequence(cap: cap, alpha: try fields.alpha())
      for value in try fields.numbers("data") {
        guard value >= 0, value <= cap else {
          throw CalculatorError.invalid("input.data has \(value), but must be from 0 to input.cap, \(cap)")
        }
        sequence.add(value)
      }
      return bounds(sequence.interval)
    },
    "two_by_two_block_e_value": { fields in
      var process = BlockEValue(prior: fields.isGiven("beta_prior") ? try fields.shape("beta_prior") : 0.18)
      let path = try fields.rows("blocks").map { block in
        guard block.count == 2, block.allSatisfy({ $0 == 0 || $0 == 1 }) else {
          throw CalculatorError.invalid("input.blocks must be pairs of 0 or 1")
        }
        process.add(first: block[0] == 1, second: block[1] == 1)
        return process.eValue
      }
      return ["e_path": path, "p_always_valid": process.p.value]
    },
  ]

  static let groupSequentialMethods: [String: Method] = {
    @Sendable func lanDeMets(_ spending: SpendingFunction) -> Method {
      { fields in
        let looks = try fields.informationFractions()
        let design = GroupSequentialDesign(looks: looks, spending: spending, alpha: try fields.alpha())
        return ["critical_z": design.bounds, "alpha_spent_cumulative": design.spent]
      }
    }
    return [
      "type1_error_of_peeking_fixed_z": { fields in
        let looks = try fields.integer("looks_equally_spaced", in: 1...1_000)
        let critical = try fields.positive("critical_z")
        return ["type1_error": GroupSequentialDesign.peekingError(looks: looks, critical: critical)]
      },
      "pocock_constant": { fields in
        let design = GroupSequentialDesign.pocock(
          looks: try fields.integer("looks", in: 1...200), alpha: try fields.alpha())
        return ["critical_z": design.bounds.last]
      },
      "obrien_fleming_constant": { fields in
        let design = GroupSequentialDesign.obrienFleming(
          looks: try fields.integer("looks", in: 1...200), alpha: try fields.alpha())
        return ["final_critical_z": design.bounds.last, "bounds": design.bounds]
      },
      "lan_demets_obf_each_side": lanDeMets(.obrienFlemingEachSide),
      "lan_demets_obf_two_sided_total": lanDeMets(.obrienFlemingTotal),
      "lan_demets_pocock": lanDeMets(.pocock),
    ]
  }()
}

extension Fields {
  func asymptoticSequence() throws -> AsymptoticSequence {
    AsymptoticSequence(plannedUnits: try positive("n_star"), alpha: try alpha())
  }

  /// Reads the information fractions: ascending, above 0, at most 1,000 of them.
  func informationFractions() throws -> [Double] {
    let looks = try numbers("information_fractions")
    let isAscending = zip(looks, looks.dropFirst()).allSatisfy { $0 < $1 }
    guard !looks.isEmpty, looks.count <= 1_000, looks[0] > 0, isAscending else {
      throw CalculatorError.invalid("\(place).information_fractions must be above 0 and ascending")
    }
    return looks
  }
}
