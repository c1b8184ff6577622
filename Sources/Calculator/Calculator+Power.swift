internal import Statistics

extension Calculator {
  static let powerMethods: [String: Method] = [
    "sample_size_two_proportions": { fields in
      let size = proportionSampleSize(
        control: try fields.share("p_control"), treatment: try fields.share("p_treatment"),
        errors: try fields.errors(), ratio: try fields.positive("ratio_t_to_c", default: 1))
      return values(
        size, else: "the rates are equal",
        [
          "n_control_unpooled": \.unpooled, "n_control_pooled_null": \.pooledNull, "n_control_arcsine": \.arcsine,
          "n_control_ceil_pooled": { $0.pooledNull.rounded(.up) },
        ])
    },
    "power_two_proportions": { fields in
      let power = proportionPower(
        control: try fields.share("p_control"), treatment: try fields.share("p_treatment"),
        controlCount: try fields.positive("n_control"), treatmentCount: try fields.positive("n_treatment"),
        alpha: try fields.alpha())
      return ["power_unpooled": power.unpooled, "power_pooled_null": power.pooledNull]
    },
    "exact_power_pooled_z": { fields in
      let power = exactPooledZPower(
        control: try fields.probability("p_control"), treatment: try fields.probability("p_treatment"),
        controlCount: try fields.integer("n_control", in: 1...1_000_000),
        treatmentCount: try fields.integer("n_treatment", in: 1...1_000_000), alpha: try fields.alpha())
      guard let power else {
        throw CalculatorError.unanswerable("there are more than two million outcomes; use power_two_proportions")
      }
      return ["power": power]
    },
    "power_t_test": { fields in
      let (count, ratio) = (try fields.positive("n_control"), try fields.positive("ratio", default: 1))
      guard count + count * ratio > 2 else {
        throw CalculatorError.invalid("input.n_control is \(count), but both arms together must be above 2")
      }
      return [
        "power": tTestPower(
          effect: try fields.number("effect_size_d"), controlCount: count, ratio: ratio, alpha: try fields.alpha())
      ]
    },
    "mde_relative_delta_method": { fields in
      let effect = detectableEffect(
        mean: try fields.notZero("mean_control"), variance: try fields.notNegative("variance"),
        countPerArm: try fields.positive("n_per_arm"), errors: try fields.errors())
      var result: Values = ["mde_relative": effect.relative, "mde_absolute_simple": effect.absolute]
      if effect.relative == nil { result["reason"] = "no MDE at this n" }
      return result
    },
    "power_asymptotic_cs_single_look": { fields in
      let power = asymptoticSequencePower(
        control: try fields.share("p_control"), treatment: try fields.share("p_treatment"),
        countPerArm: try fields.positive("n_per_arm"), sequence: try fields.asymptoticSequence())
      return ["critical_value": power.criticalValue, "power_lower_bound": power.powerLowerBound]
    },
    "sample_size_non_inferiority": { fields in
      let errors = TestErrors(
        alpha: try fields.level("alpha_one_sided", default: 0.025), power: try fields.level("power", default: 0.8))
      return [
        "n_per_arm": nonInferioritySampleSize(
          rate: try fields.share("p_both"), margin: try fields.positive("margin_absolute"), errors: errors)
      ]
    },
  ]
}

extension Fields {
  func errors() throws -> TestErrors { TestErrors(alpha: try alpha(), power: try level("power", default: 0.8)) }

  func positive(_ name: String, default value: Double) throws -> Double {
    values[name] == nil ? value : try positive(name)
  }
}
