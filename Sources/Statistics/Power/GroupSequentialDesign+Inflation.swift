extension GroupSequentialDesign {
  /// Returns the factor by which the design needs more users than a one-look test of equal power, if it runs to the
  /// end.
  ///
  /// - Returns: `nil` if the last look has no information.
  public func inflation(errors: TestErrors = TestErrors()) -> Double? {
    guard let last = looks.last, last > 0 else { return nil }
    let fixed = errors.twoSidedZ + errors.powerZ
    // Power is smooth and increasing in the drift: a secant on the probit scale.
    func miss(_ drift: Double) -> Double {
      NormalDistribution.quantile(min(1 - 1e-15, crossingProbability(drift: drift))) - errors.powerZ
    }
    let ratio = secantRoot(from: fixed, fixed * 1.02, of: miss) / fixed
    return ratio * ratio * last
  }
}
