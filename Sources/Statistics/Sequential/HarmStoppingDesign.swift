/// Bounds for a test that may stop early for harm only: the sequential part of α is on the harm side; a benefit is
/// decided at the last look, with the whole α of its side.
///
/// Source: Lan & DeMets (1983), doi:10.1093/biomet/70.3.659; Jennison & Turnbull (2000), chapter 7.
public struct HarmStoppingDesign: Hashable, Sendable {
  /// Information fractions of the looks, ascending; the last at or above 1.
  public let looks: [Double]
  /// Stops for harm at z ≤ −bound, one per look; no bound is above ``GroupSequentialDesign/highestBound``.
  public let harmBounds: [Double]
  /// Shows a benefit at the last look if z reaches it.
  public let benefitBound: Double

  /// - Parameters:
  ///   - looks: Ascending and above 0.
  ///   - alpha: The level of both sides together, half for each.
  public init(looks: [Double], spending: SpendingFunction = .obrienFlemingEachSide, alpha: Double = 0.05) {
    precondition(!looks.isEmpty, "looks is empty, but must have one or more")
    var recursion = SequentialRecursion()
    var (bounds, spent, benefit) = ([Double](), 0.0, 0.0)
    for (index, look) in looks.enumerated() {
      precondition(look > recursion.time, "looks must be above 0 and ascending")
      let isLast = index == looks.count - 1
      let target = isLast ? alpha : spending.spent(at: look, alpha: alpha)
      let state = recursion
      bounds.append(
        GroupSequentialDesign.bound(spending: max(0, target - spent) / 2) { state.below(-$0, at: look) })
      spent = target
      if isLast {
        benefit = GroupSequentialDesign.bound(spending: alpha / 2) { state.above($0, at: look) }
      } else {
        // There is no upper stop; beyond 10 there is no mass to lose.
        recursion.advance(to: look, low: -bounds[index], high: 10)
      }
    }
    (self.looks, harmBounds, benefitBound) = (looks, bounds, benefit)
  }

  /// Returns the chances to stop for harm and to show a benefit, if the mean of z at information 1 is `drift`.
  public func probabilities(drift: Double = 0) -> (harm: Double, benefit: Double) {
    var recursion = SequentialRecursion(drift: drift)
    var harm = 0.0
    for (look, bound) in zip(looks, harmBounds) {
      harm += recursion.below(-bound, at: look)
      if look == looks.last { return (harm, recursion.above(benefitBound, at: look)) }
      recursion.advance(to: look, low: -bound, high: 10 + max(0, drift))
    }
    return (harm, 0)
  }
}
