internal import RealModule

/// Returns the power of the two-sided t test of two means with equal variances, by the noncentral t; includes both
/// tails.
///
/// - Parameters:
///   - effect: Cohen's d, the difference in standard deviations.
///   - controlCount: n; the treatment has `ratio`·n. Together above 2.
///
/// Source: Cohen (1988), chapter 2.
public func tTestPower(effect: Double, controlCount: Double, ratio: Double = 1, alpha: Double = 0.05) -> Double {
  let treatmentCount = controlCount * ratio
  let degrees = controlCount + treatmentCount - 2
  precondition(degrees > 0, "controlCount is \(controlCount), but both arms together must be above 2")
  let shift = effect * (controlCount * (treatmentCount / (controlCount + treatmentCount))).squareRoot()
  let critical = StudentDistribution.upperQuantile(alpha / 2, degrees: degrees)
  let tails = [shift, -shift].map { NoncentralStudent.survival(critical, degrees: degrees, shift: $0) }
  return min(1, tails[0] + tails[1])
}

/// Returns the users per arm at which the two-sided t test of two means reaches the power, by the noncentral t.
///
/// - Parameters:
///   - difference: The difference to detect, not 0.
///   - standardDeviation: Per user, including zeros; from the app's own history, never assumed.
public func tTestSampleSize(
  difference: Double, standardDeviation: Double, errors: TestErrors = TestErrors()
) -> Double {
  // The normal approximation is too small by a user or two, and by more if arms are small.
  var users = max(
    2, meanSampleSize(difference: difference, standardDeviation: standardDeviation, errors: errors).rounded(.up))
  let effect = abs(difference) / standardDeviation
  // Above this size the approximation is exact to a thousandth of a user.
  while users < 1e9, tTestPower(effect: effect, controlCount: users, alpha: errors.alpha) < errors.power { users += 1 }
  return users
}

/// The noncentral t distribution.
public enum NoncentralStudent {
  /// P(T > t) = ∫ [1 − Φ(ts − δ)] f(s) ds with s = √(χ²/df), by quadrature: the integrand is positive, so both tails
  /// keep their digits.
  ///
  /// - Parameters:
  ///   - degrees: Above 0.
  ///   - shift: δ.
  public static func survival(_ t: Double, degrees: Double, shift: Double) -> Double {
    precondition(degrees > 0, "degrees is \(degrees), but must be above 0")
    // The constant part of the log density of s.
    let half = degrees / 2
    let constant =
      Double.log(2) + 0.5 * Double.log(half) - halfLogTwoPi - Gamma.stirlingRemainder(half)
    func integrand(_ s: Double) -> Double {
      guard s > 0 else { return 0 }
      // (s²)^half·e^(half(1 − s²)) in Loader's form: 1 at s = 1.
      let weight = Double.exp(constant - Gamma.deviance(half, half * s * s)) / s
      return weight * NormalDistribution.survival(t * s - shift)
    }
    // Panels around the mass of s, and around the step of the normal at δ/t, which may be far below it.
    let deviation = 1 / (2 * degrees).squareRoot()
    var edges: Set<Double> = [0]
    for k in [0, 1, 2, 3, 4.5, 6, 8, 11, 16, 24, 40] {
      for place in [1 - k * deviation, 1 + k * deviation] { edges.insert(place) }
      if t != 0 { for place in [(shift - k) / t, (shift + k) / t] { edges.insert(place) } }
    }
    let last = 1 + 40 * deviation
    let panels = edges.filter { $0 >= 0 && $0 <= last }.sorted()
    let sum = zip(panels, panels.dropFirst()).reduce(0) { sum, panel in
      sum + GaussLegendre.thirty.integral(panel.0, panel.1, integrand)
    }
    return min(1, sum)
  }
}
