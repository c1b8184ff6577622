/// A check whether a difference of means may be read as normal, with its remaining skewness.
public struct NormalityGate: Hashable, Sendable {
  /// The skewness of the difference, (m₃/n₁² − m₃/n₀²)/(v₁ + v₀)^1.5: in equal arms it cancels.
  public var skewness: Double
  /// Whether the skewness is at most 1/√355, that of a single mean with the 355·g₁² values of Kohavi et al.
  public var isNearlyNormal: Bool
}

/// Returns whether two arms are large enough, for their skewness, for Welch's interval; if not, show the bootstrap-t
/// too.
///
/// - Returns: `nil` if an arm has fewer than two values, nothing varies, or third moments were not recorded.
///
/// Source: Kohavi, Deng, Longbotham & Xu (2014), "Seven rules of thumb for web site experimenters".
public func normalityGate(treatment: Moments, control: Moments) -> NormalityGate? {
  guard
    let v1 = treatment.varianceOfMean, let v0 = control.varianceOfMean, v1 + v0 > 0,
    let third1 = treatment.thirdMoment, let third0 = control.thirdMoment
  else { return nil }
  let variance = v1 + v0
  let skewness =
    (third1 / treatment.count / treatment.count - third0 / control.count / control.count)
    / (variance * variance.squareRoot())
  return NormalityGate(skewness: skewness, isNearlyNormal: abs(skewness) <= 1 / 355.0.squareRoot())
}
