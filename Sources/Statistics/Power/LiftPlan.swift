/// The sizes of a test that finds a lift, or shows that there is none. They are planning values: the observed effect
/// never enters them.
///
/// Sizes are users of all arms together. Source: Decisions.md D3.2, D3.3 and D3.7. The power of the observed effect is
/// not used, because it adds nothing to p (Hoenig & Heisey 2001, doi:10.1198/000313001300339897).
public struct LiftPlan: Hashable, Sendable {
  /// The control's outcome, which determines the variances.
  public enum Control: Hashable, Sendable {
    /// A rate in [0, 1].
    case share(Double)
    /// A mean and the variance between users, the largest of the arms.
    case mean(Double, variance: Double)
  }

  /// The threshold of a difference, in standard errors.
  public enum Bound: Hashable, Sendable {
    /// c(n) of the sequence at its own level: α/(k − 1) for k − 1 treatments (Decisions.md D2.4).
    case sequence(AsymptoticSequence, alpha: Double)
    /// A value that does not depend on the size: the final bound of Lan and DeMets, or the normal quantile of one look.
    case constant(Double)

    func value(units: Double) -> Double {
      switch self {
      case .sequence(let sequence, let alpha): sequence.criticalValue(units: units, alpha: alpha)
      case .constant(let value): value
      }
    }
  }

  public var control: Control
  /// Planned shares of all users that go to control and to the treatment; above 0, together at most 1.
  public var controlShare: Double
  public var treatmentShare: Double
  public var bound: Bound

  public init(control: Control, controlShare: Double = 0.5, treatmentShare: Double = 0.5, bound: Bound) {
    precondition(
      controlShare > 0 && treatmentShare > 0 && controlShare + treatmentShare <= 1 + 1e-9,
      "the shares are \(controlShare) and \(treatmentShare), but must be above 0 and together at most 1")
    (self.control, self.controlShare, self.treatmentShare, self.bound) = (control, controlShare, treatmentShare, bound)
  }

  /// Above this, doubles cannot hold every whole number of users.
  private static let mostUsers = 0x1p53

  private var controlMean: Double {
    switch control {
    case .share(let rate): rate
    case .mean(let mean, _): mean
    }
  }

  /// Returns the variances between users of control and of a treatment with this lift; `nil` if there is no such
  /// treatment.
  private func variances(lift: Double) -> (control: Double, treatment: Double)? {
    guard controlMean > 0 else { return nil }
    switch control {
    case .share(let rate):
      let lifted = rate * (1 + lift)
      return lifted < 1 ? (rate * (1 - rate), lifted * (1 - lifted)) : nil
    case .mean(_, let variance): return variance > 0 ? (variance, variance) : nil
    }
  }

  /// Returns whether one look at n users finds the distance with the power whose normal quantile is `quantile`.
  private func isEnough(
    _ n: Double, distance: Double, variances: (control: Double, treatment: Double), quantile: Double
  ) -> Bool {
    let error = (variances.treatment / (n * treatmentShare) + variances.control / (n * controlShare)).squareRoot()
    return distance / error >= bound.value(units: n * (controlShare + treatmentShare)) + quantile
  }

  /// Returns the least sufficient whole n. The distance in standard errors grows as √n and the bound as √ln n, or
  /// falls, so there is one crossing.
  private func least(distance: Double, variances: (control: Double, treatment: Double), power: Double) -> Double? {
    let quantile = NormalDistribution.quantile(power)
    var (low, high) = (0.0, 1.0)
    while !isEnough(high, distance: distance, variances: variances, quantile: quantile) {
      (low, high) = (high, 2 * high)
      if high > Self.mostUsers { return nil }
    }
    while high - low > 1 {
      let middle = ((low + high) / 2).rounded(.down)
      if isEnough(middle, distance: distance, variances: variances, quantile: quantile) {
        high = middle
      } else {
        low = middle
      }
    }
    return high
  }

  /// Returns `persons_needed`: the least n with lift·m₀ ÷ √(v₁/(n·w₁) + v₀/(n·w₀)) ≥ c + Φ⁻¹(0.8).
  ///
  /// One look then finds such a lift with at least 80%; implements D3.2. The variance of a share in the treatment is
  /// that at m₀(1 + lift).
  ///
  /// - Parameter lift: Above 0; a fraction of the control's mean.
  /// - Returns: A whole number; `nil` if control has no outcome, nothing varies, m₀(1 + lift) is not a share, or 2⁵³
  ///   users are not enough.
  public func usersNeeded(lift: Double) -> Double? {
    precondition(lift > 0, "lift is \(lift), but must be above 0")
    guard let variances = variances(lift: lift) else { return nil }
    return least(distance: lift * controlMean, variances: variances, power: 0.8)
  }

  /// Returns `persons_needed_equivalence`: like ``usersNeeded(lift:)``, with Φ⁻¹(0.9) and the control's variance times
  /// (1 + margin)². With this many users, sameness is shown with 80% if there is no difference; implements D3.3.
  ///
  /// - Parameter margin: Above 0; the smallest lift that would matter.
  public func usersNeededForSameness(margin: Double) -> Double? {
    precondition(margin > 0, "margin is \(margin), but must be above 0")
    guard var variances = variances(lift: margin) else { return nil }
    variances.control *= (1 + margin) * (1 + margin)
    return least(distance: margin * controlMean, variances: variances, power: 0.9)
  }

  /// Returns the smallest lift that `users` in all arms find with 80%: the inverse of ``usersNeeded(lift:)``;
  /// implements D3.7.
  ///
  /// - Parameter users: V·(patience − h) for the current traffic.
  /// - Returns: A fraction of the control's mean; `nil` if no lift is found, however large.
  public func leastLift(users: Double) -> Double? {
    let n = users.rounded(.down)
    let quantile = NormalDistribution.quantile(0.8)
    func isFound(_ lift: Double) -> Bool {
      guard let variances = variances(lift: lift) else { return false }
      return isEnough(n, distance: lift * controlMean, variances: variances, quantile: quantile)
    }
    guard n >= 1, controlMean > 0 else { return nil }
    var (low, high) = (0.0, 1.0)
    if case .share(let rate) = control {
      // Just below the lift at which all users convert.
      high = (1 / rate - 1) * (1 - 1e-12)
      guard rate < 1, isFound(high) else { return nil }
    } else {
      while !isFound(high) {
        (low, high) = (high, 2 * high)
        if high > 1e9 { return nil }
      }
    }
    return leastPlace(from: low, to: high, where: isFound)
  }
}
