internal import Statistics

/// Results that other engines print for the same data, for comparison only.
extension Calculator {
  static let interoperabilityMethods: [String: Method] = {
    @Sendable func method(relative: Bool, _ arm: @escaping @Sendable (Fields, String) throws -> MeanArm?) -> Method {
      { fields in
        guard let treatment = try arm(fields, "treatment"), let control = try arm(fields, "control") else {
          return notEstimable("an arm has fewer than two users", ["estimate", "lower", "upper", "p_value", "se"])
        }
        return Self.growthBook(treatment, control, alpha: try fields.alpha(), relative: relative)
      }
    }
    @Sendable func sums(_ fields: Fields, _ name: String) throws -> MeanArm? {
      let arm = try fields.fields(name)
      return MeanArm(
        Moments(
          count: try arm.count("n"), sum: try arm.number("sum"), sumOfSquares: try arm.notNegative("sum_squares")))
    }
    @Sendable func proportion(_ fields: Fields, _ name: String) throws -> MeanArm? {
      let suffix = name == "treatment" ? "t" : "c"
      let sample = try fields.proportion("x_\(suffix)", "n_\(suffix)")
      return sample.estimate.map { rate in
        MeanArm(mean: rate, variance: rate * (1 - rate) / sample.trials, count: sample.trials)
      }
    }
    return [
      "growthbook_two_sided_absolute": method(relative: false, sums),
      "growthbook_two_sided_relative": method(relative: true, sums),
      "growthbook_proportion_absolute": method(relative: false, proportion),
      "growthbook_proportion_relative": method(relative: true, proportion),
    ]
  }()

  /// Returns GrowthBook's two-sided t test (gbstats 0.8.0).
  ///
  /// The relative test divides the delta-method lift by its own standard error but takes Welch's degrees of freedom
  /// from the absolute test, so the two p values differ.
  private static func growthBook(
    _ treatment: MeanArm, _ control: MeanArm, alpha: Double, relative: Bool
  ) -> Values {
    guard let test = welchTest(treatment, control, confidence: 1 - alpha) else {
      return notEstimable("nothing varies", ["estimate", "lower", "upper", "p_value", "se"])
    }
    let critical = StudentDistribution.upperQuantile(alpha / 2, degrees: test.degrees)
    var (estimate, error) = (test.difference, test.standardError)
    if relative {
      guard let lift = deltaLift(treatment.estimate, control.estimate, critical: critical) else {
        return notEstimable("the control's mean is not above 0", ["estimate", "lower", "upper", "p_value", "se"])
      }
      (estimate, error) = (lift.lift, lift.standardError)
    }
    return [
      "estimate": estimate, "se": error,
      "p_value": StudentDistribution.twoSidedP(estimate / error, degrees: test.degrees),
      "lower": estimate - critical * error, "upper": estimate + critical * error,
    ]
  }
}
