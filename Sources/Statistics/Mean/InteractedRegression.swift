/// A comparison of means, adjusted by covariates with separate slopes in each arm.
public struct InteractedRegression: Hashable, Sendable {
  /// Welch's test of the adjusted means; its standard error is HC2.
  public var adjusted: WelchTest
  public var unadjusted: WelchTest
  /// Indices of the covariates that were used, ascending. A covariate that does not vary in an arm, or depends there on
  /// earlier ones, is left out.
  public var used: [Int]
  /// 1 − Var′/Var of the difference; below 0 if the covariates explain nothing.
  public var varianceReduction: Double
}

/// One user's outcome, and the covariates known before the experiment.
public struct CovariateUser: Hashable, Sendable {
  public var covariates: [Double]
  public var outcome: Double

  public init(covariates: [Double], outcome: Double) {
    self.covariates = covariates
    self.outcome = outcome
  }

  /// Creates a user; a missing history is 0 with an indicator, so that "nothing known" is not read as "nothing bought".
  public init(history: Double?, outcome: Double) {
    self.init(covariates: [history ?? 0, history == nil ? 0 : 1], outcome: outcome)
  }
}

/// Returns the difference of means at the covariates' grand means x̄, each arm by its own regression on x − x̄: the
/// coefficient of T in y ~ T + (x − x̄) + T·(x − x̄), with HC2 variance.
///
/// For arms of unequal size, in which the single pooled slope of ``cupedTest(treatment:control:confidence:)`` may lose
/// precision rather than gain it. Without covariates it equals Welch's test exactly: degrees of freedom are
/// Satterthwaite's, with n minus the coefficients in each arm.
///
/// - Parameters:
///   - treatment: All with one number of covariates, as in `control`.
///   - confidence: The confidence of the interval, in (0, 1).
/// - Returns: `nil` if an arm has no more users than coefficients, nothing varies, or one user alone determines a
///   coefficient.
///
/// Source: Lin (2013), doi:10.1214/12-AOAS583.
public func interactedRegression(
  treatment: [CovariateUser], control: [CovariateUser], confidence: Double = 0.95
) -> InteractedRegression? {
  let width = (treatment + control).first?.covariates.count ?? 0
  precondition(
    (treatment + control).allSatisfy { $0.covariates.count == width }, "all users must have \(width) covariates")
  let scales = (0..<width).map { place in Moments((treatment + control).lazy.map { $0.covariates[place] }) }
  /// The covariate in standard deviations from its grand mean, so that the normal equations stay well conditioned.
  func rows(_ arm: [CovariateUser], _ used: [Int]) -> [[Double]] {
    arm.map { user in
      used.map { place in
        (user.covariates[place] - (scales[place].mean ?? 0)) / (scales[place].standardDeviation ?? 1)
      }
    }
  }
  func fits(_ used: [Int]) -> (LeastSquares, LeastSquares)? {
    guard
      let own = LeastSquares(rows: rows(treatment, used), outcomes: treatment.map(\.outcome)),
      let other = LeastSquares(rows: rows(control, used), outcomes: control.map(\.outcome))
    else { return nil }
    return (own, other)
  }
  var used: [Int] = []
  for place in 0..<width where (scales[place].variance ?? 0) > 0 && fits(used + [place]) != nil { used.append(place) }
  func plain(_ arm: [CovariateUser]) -> MeanArm? { MeanArm(Moments(arm.lazy.map(\.outcome))) }
  func arm(_ fit: LeastSquares, _ users: [CovariateUser]) -> MeanArm {
    MeanArm(mean: fit.intercept, variance: fit.interceptVariance, count: Double(users.count - used.count))
  }
  guard
    let plainTreatment = plain(treatment), let plainControl = plain(control), let (own, other) = fits(used),
    let unadjusted = welchTest(plainTreatment, plainControl, confidence: confidence),
    let adjusted = welchTest(arm(own, treatment), arm(other, control), confidence: confidence)
  else { return nil }
  let ratio = adjusted.standardError / unadjusted.standardError
  return InteractedRegression(
    adjusted: adjusted, unadjusted: unadjusted, used: used, varianceReduction: 1 - ratio * ratio)
}
