/// A difference of ratios, adjusted by each user's ratio before the experiment.
public struct CUPEDRatioResult: Hashable, Sendable {
  public var theta: Double
  public var difference: Double
  public var standardError: Double
  public var unadjustedDifference: Double
}

/// One user's part in a ratio metric before and in the experiment.
public struct RatioHistory: Hashable, Sendable {
  public var before: RatioUnit
  public var after: RatioUnit

  public init(before: RatioUnit, after: RatioUnit) {
    self.before = before
    self.after = after
  }
}

/// Returns the difference of r₁ − θr₀ between arms, r₁ and r₀ the ratios in and before the experiment, with
/// θ = Σcov(L₁, L₀)/n ÷ Σvar(L₀)/n over the arms and L = (m − rd)/d̄ each user's linearised value.
///
/// - Returns: `nil` if an arm has fewer than two users or a denominator sums to 0. θ is 0 if the history does not vary.
///
/// Source: Deng, Xu, Kohavi & Walker (2013), appendix B.
public func cupedRatio(treatment: [RatioHistory], control: [RatioHistory]) -> CUPEDRatioResult? {
  guard let own = Linearised(treatment), let other = Linearised(control) else { return nil }
  let historyVariance = own.varianceBefore + other.varianceBefore
  let covariance = own.covariance + other.covariance
  let theta = historyVariance > 0 ? covariance / historyVariance : 0
  let unadjusted = own.after - other.after
  let variance = own.varianceAfter + other.varianceAfter - 2 * theta * covariance + theta * theta * historyVariance
  return CUPEDRatioResult(
    theta: theta, difference: unadjusted - theta * (own.before - other.before),
    standardError: max(0, variance).squareRoot(), unadjustedDifference: unadjusted)
}

/// An arm's ratios and the (co)variances of their estimates.
private struct Linearised {
  var after = 0.0
  var before = 0.0
  var varianceAfter = 0.0
  var varianceBefore = 0.0
  var covariance = 0.0

  init?(_ users: [RatioHistory]) {
    let count = Double(users.count)
    var (meanAfter, meanBefore) = (0.0, 0.0)
    for user in users {
      after += user.after.numerator
      meanAfter += user.after.denominator / count
      before += user.before.numerator
      meanBefore += user.before.denominator / count
    }
    guard count > 1, meanAfter != 0, meanBefore != 0 else { return nil }
    after /= meanAfter * count
    before /= meanBefore * count
    for user in users {
      let now = (user.after.numerator - after * user.after.denominator) / meanAfter
      let past = (user.before.numerator - before * user.before.denominator) / meanBefore
      varianceAfter += now * now
      varianceBefore += past * past
      covariance += now * past
    }
    let scale = 1 / (count - 1) / count
    varianceAfter *= scale
    varianceBefore *= scale
    covariance *= scale
  }
}
