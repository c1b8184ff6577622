internal import RealModule

extension KaplanMeier.Step {
  /// Returns the plain interval S ± z·S√Σ, cut to 0…1; `nil` from where S is 0.
  public func plainInterval(z: Double = normalQuantile975) -> Interval? {
    guard let standardError else { return nil }
    return Interval(low: max(0, survival - z * standardError), high: min(1, survival + z * standardError))
  }

  /// Returns the log interval S·exp(±z√Σ), cut at 1; `nil` from where S is 0.
  public func logInterval(z: Double = normalQuantile975) -> Interval? {
    guard let logVariance else { return nil }
    let spread = z * logVariance.squareRoot()
    return Interval(low: survival * Double.exp(-spread), high: min(1, survival * Double.exp(spread)))
  }
}

extension KaplanMeier where Time == Double {
  /// The median as in R's `quantile.survfit`: the middle of the interval where S is ½, if there is one.
  ///
  /// - Returns: `nil` if S stays above ½.
  public var midpointMedian: Double? { Self.median(of: steps.map { ($0.time, $0.survival) }) }

  /// Returns the median of a decreasing curve given at its times; skips values that are `nil`.
  public static func median(of curve: [(time: Double, value: Double?)]) -> Double? {
    // R's tolerance for "S equals ½".
    let slack = 1.490116e-08
    let known = curve.filter { $0.value != nil }
    guard let first = known.first(where: { $0.value! <= 0.5 + slack }) else { return nil }
    if let second = known.first(where: { $0.value! <= 0.5 - slack }) { return (first.time + second.time) / 2 }
    // The curve ends at ½: take the last time, unless the curve is undefined there.
    guard let last = curve.last, last.value != nil else { return nil }
    return (first.time + last.time) / 2
  }
}
