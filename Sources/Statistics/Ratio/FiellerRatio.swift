/// Fieller's confidence set of a ratio.
public enum FiellerSet: Hashable, Sendable {
  /// The ratios between the ends.
  case bounded(Interval)
  /// All ratios except those strictly between the ends: the control is not distinguishable from 0, but the two together
  /// are.
  case complement(Interval)
  /// No information: neither is distinguishable from 0.
  case wholeLine
}

/// Returns Fieller's set of ρ = m₁/m₀ for independent estimates: the ρ with |m₁ − ρm₀| ≤ c·√(v₁ + ρ²v₀).
///
/// It excludes 1 exactly when the test of m₁ = m₀ at this critical value rejects. If m₀² ≤ c²v₀, the control is not
/// distinguishable from 0 and the set is unbounded: there is no finite interval to show.
///
/// - Parameter critical: The two-sided critical value, z or t.
///
/// Source: Fieller (1954), J R Stat Soc B 16:175.
public func fiellerRatio(_ treatment: MeanEstimate, _ control: MeanEstimate, critical c: Double) -> FiellerSet {
  let (m1, m0) = (treatment.mean, control.mean)
  let (e1, e0) = (c * treatment.standardError, c * control.standardError)
  // Differences of squares as products: the naive ones cancel when the set is about to open.
  let leading = (m0 - e0) * (m0 + e0)
  let constant = (m1 - e1) * (m1 + e1)
  let cross = m1 * m0
  // (m₁m₀)² − leading·constant, expanded without the terms that cancel.
  let discriminant = e1 * e1 * m0 * m0 + e0 * e0 * constant
  guard discriminant >= 0, leading != 0 else { return .wholeLine }
  let root = discriminant.squareRoot()
  // The larger root by sum, the smaller by the product of the roots.
  let sum = cross >= 0 ? cross + root : cross - root
  let (one, two) = (sum / leading, sum == 0 ? 0 : constant / sum)
  let ends = Interval(low: min(one, two), high: max(one, two))
  return leading > 0 ? .bounded(ends) : .complement(ends)
}
