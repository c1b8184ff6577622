/// Users of one arm with equal values before and in the experiment; a missing history is 0. For a mean, the
/// denominators are ignored.
public struct HistoryGroup: Hashable, Sendable {
  public var before: RatioUnit
  public var after: RatioUnit
  /// 0 or more.
  public var count: Int

  public init(before: RatioUnit, after: RatioUnit, count: Int = 1) {
    (self.before, self.after, self.count) = (before, after, count)
  }
}

/// A difference adjusted by what users did before the experiment.
public struct CUPEDAdjustment: Hashable, Sendable {
  /// The slope that is removed; 0 if the history does not vary.
  public var theta: Double
  public var difference: Double
  public var standardError: Double
  public var interval: Interval
  public var twoSidedP: Double
  /// 1 − Var′/Var of the difference: the share of the variance that the history explains.
  public var varianceReduction: Double
  public var unadjustedDifference: Double
  /// Whether the history varies, so that the method applies.
  public var hasHistory: Bool
}

/// A comparison of means adjusted by what users did before the experiment.
public struct CUPEDMeans: Hashable, Sendable {
  public var adjustment: CUPEDAdjustment
  /// The arms' adjusted means.
  public var treatment: MeanArm
  public var control: MeanArm
  /// Welch's test on the adjusted values.
  public var adjusted: WelchTest
  public var unadjusted: WelchTest
}

/// Returns the comparison of means of y′ = y − θ(x − x̄), with θ = Σ(x − x̄)(y − ȳ)/Σ(x − x̄)² pooled over both arms
/// about the grand means, then Welch's test on y′.
///
/// - Returns: `nil` if an arm has fewer than two users or nothing varies. If no user has a history, as on a paywall for
///   new users, the method does not apply: θ and the reduction are 0.
///
/// Source: Deng, Xu, Kohavi & Walker (2013), doi:10.1145/2433396.2433413, eq. 4.
public func cupedTest(
  treatment: [HistoryGroup], control: [HistoryGroup], confidence: Double = 0.95
) -> CUPEDMeans? {
  let all = treatment + control
  let count = all.reduce(0) { $0 + Double($1.count) }
  guard count > 0 else { return nil }
  let meanBefore = all.reduce(0) { $0 + Double($1.count) * $1.before.numerator } / count
  let meanAfter = all.reduce(0) { $0 + Double($1.count) * $1.after.numerator } / count
  var (cross, squares) = (0.0, 0.0)
  for group in all {
    let distance = group.before.numerator - meanBefore
    cross += Double(group.count) * distance * (group.after.numerator - meanAfter)
    squares += Double(group.count) * distance * distance
  }
  let theta = squares > 0 ? cross / squares : 0
  func arm(_ groups: [HistoryGroup], _ theta: Double) -> MeanArm? {
    func value(_ group: HistoryGroup) -> Double {
      group.after.numerator - theta * (group.before.numerator - meanBefore)
    }
    let users = groups.reduce(0) { $0 + Double($1.count) }
    guard users >= 2 else { return nil }
    let mean = groups.reduce(0) { $0 + Double($1.count) * value($1) } / users
    let squares = groups.reduce(0) { sum, group in
      let distance = value(group) - mean
      return sum + Double(group.count) * distance * distance
    }
    return MeanArm(mean: mean, variance: squares / (users - 1) / users, count: users)
  }
  guard
    let own = arm(treatment, theta), let other = arm(control, theta),
    let plainOwn = arm(treatment, 0), let plainOther = arm(control, 0),
    let plain = welchTest(plainOwn, plainOther, confidence: confidence),
    let test = welchTest(own, other, confidence: confidence)
  else { return nil }
  return CUPEDMeans(
    adjustment: CUPEDAdjustment(
      theta: theta, difference: test.difference, standardError: test.standardError, interval: test.interval,
      twoSidedP: test.twoSidedP,
      varianceReduction: 1 - (own.variance + other.variance) / (plainOwn.variance + plainOther.variance),
      unadjustedDifference: plain.difference, hasHistory: squares > 0),
    treatment: own, control: other, adjusted: test, unadjusted: plain)
}

/// Returns the difference of r₁ − θr₀ between arms, r₁ and r₀ the ratios in and before the experiment, with
/// θ = Σcov(L₁, L₀)/n ÷ Σvar(L₀)/n over the arms and L = (m − rd)/d̄ each user's linearised value, with normal interval
/// and p.
///
/// - Returns: `nil` if an arm has fewer than two users or a denominator sums to 0. θ is 0 if the history does not vary.
///
/// Source: Deng, Xu, Kohavi & Walker (2013), appendix B.
public func cupedRatio(
  treatment: [HistoryGroup], control: [HistoryGroup], confidence: Double = 0.95
) -> CUPEDAdjustment? {
  guard let own = Linearised(treatment), let other = Linearised(control) else { return nil }
  let history = own.varianceBefore + other.varianceBefore
  let covariance = own.covariance + other.covariance
  let theta = history > 0 ? covariance / history : 0
  let plain = own.varianceAfter + other.varianceAfter
  let variance = max(0, plain - theta * covariance)
  let unadjusted = own.after - other.after
  let difference = unadjusted - theta * (own.before - other.before)
  let error = variance.squareRoot()
  let half = NormalDistribution.criticalValue(confidence: confidence) * error
  return CUPEDAdjustment(
    theta: theta, difference: difference, standardError: error,
    interval: Interval(around: difference, half: half),
    twoSidedP: NormalDistribution.twoSidedP(difference / error), varianceReduction: 1 - variance / plain,
    unadjustedDifference: unadjusted, hasHistory: history > 0)
}

/// An arm's ratios and the (co)variances of their estimates.
private struct Linearised {
  var after: Double
  var before: Double
  var varianceAfter = 0.0
  var varianceBefore = 0.0
  var covariance = 0.0

  init?(_ groups: [HistoryGroup]) {
    let users = groups.reduce(0) { $0 + Double($1.count) }
    func total(_ part: (HistoryGroup) -> Double) -> Double { groups.reduce(0) { $0 + Double($1.count) * part($1) } }
    let (baseAfter, baseBefore) = (total { $0.after.denominator }, total { $0.before.denominator })
    guard users > 1, baseAfter != 0, baseBefore != 0 else { return nil }
    after = total { $0.after.numerator } / baseAfter
    before = total { $0.before.numerator } / baseBefore
    for group in groups {
      let now = (group.after.numerator - after * group.after.denominator) / (baseAfter / users)
      let past = (group.before.numerator - before * group.before.denominator) / (baseBefore / users)
      let weight = Double(group.count) / (users - 1) / users
      varianceAfter += weight * now * now
      varianceBefore += weight * past * past
      covariance += weight * now * past
    }
  }
}
