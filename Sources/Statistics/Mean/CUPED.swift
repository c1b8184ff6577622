/// A comparison of means adjusted by what users did before the experiment.
public struct CUPEDResult: Hashable, Sendable {
  /// The slope that is removed; 0 if the history does not vary.
  public var theta: Double
  public var treatmentMean: Double
  public var treatmentVariance: Double
  public var controlMean: Double
  public var controlVariance: Double
  /// Welch's test on the adjusted values.
  public var adjusted: WelchTest
  public var unadjusted: WelchTest
  /// 1 − Var′/Var of the difference: the share of the variance that the history explains.
  public var varianceReduction: Double
}

/// One user's values before and in the experiment; a missing history is 0.
public struct BeforeAfter: Hashable, Sendable {
  public var before: Double
  public var after: Double

  public init(before: Double, after: Double) {
    self.before = before
    self.after = after
  }
}

/// Returns the comparison of means of y′ = y − θ(x − x̄), with θ = Σ(x − x̄)(y − ȳ)/Σ(x − x̄)² pooled over both arms
/// about the grand means, then Welch's test on y′.
///
/// - Returns: `nil` if an arm has fewer than two users or nothing varies. If no user has a history, as on a paywall for
///   new users, the method does not apply: θ and the reduction are 0.
///
/// Source: Deng, Xu, Kohavi & Walker (2013), doi:10.1145/2433396.2433413, eq. 4.
public func cupedTest(
  treatment: [BeforeAfter], control: [BeforeAfter], confidence: Double = 0.95
) -> CUPEDResult? {
  let before = Moments((treatment + control).lazy.map(\.before))
  let after = Moments((treatment + control).lazy.map(\.after))
  guard let meanBefore = before.mean, let meanAfter = after.mean else { return nil }
  var (cross, squares) = (0.0, 0.0)
  for user in treatment + control {
    let distance = user.before - meanBefore
    cross += distance * (user.after - meanAfter)
    squares += distance * distance
  }
  let theta = squares > 0 ? cross / squares : 0
  func adjusted(_ users: [BeforeAfter]) -> Moments {
    Moments(users.lazy.map { user in user.after - theta * (user.before - meanBefore) })
  }
  let (own, other) = (adjusted(treatment), adjusted(control))
  guard
    let treatmentArm = MeanArm(own), let controlArm = MeanArm(other),
    let plainTreatment = MeanArm(Moments(treatment.lazy.map(\.after))),
    let plainControl = MeanArm(Moments(control.lazy.map(\.after))),
    let plain = welchTest(plainTreatment, plainControl, confidence: confidence),
    let test = welchTest(treatmentArm, controlArm, confidence: confidence)
  else { return nil }
  let (variance, before0) = (test.standardError * test.standardError, plain.standardError * plain.standardError)
  return CUPEDResult(
    theta: theta, treatmentMean: treatmentArm.mean, treatmentVariance: treatmentArm.variance * treatmentArm.count,
    controlMean: controlArm.mean, controlVariance: controlArm.variance * controlArm.count, adjusted: test,
    unadjusted: plain, varianceReduction: 1 - variance / before0)
}
