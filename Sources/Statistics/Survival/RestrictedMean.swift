extension KaplanMeier where Time == Double {
  /// Returns the mean time to the event within `horizon`: the area under S up to it, and its standard error √ΣA²d/(n(n
  /// − d)), A the area from each event to the horizon.
  ///
  /// After the last time, S is assumed to stay constant.
  ///
  /// - Parameter horizon: τ, in the unit of the times; not negative.
  ///
  /// Source: Irwin (1949); Klein & Moeschberger (2003), section 4.5.
  public func restrictedMean(horizon: Double) -> (mean: Double, standardError: Double) {
    let within = steps.prefix { $0.time <= horizon }
    var (area, variance, end) = (0.0, 0.0, horizon)
    for step in within.reversed() {
      area += step.survival * (end - step.time)
      end = step.time
      // If no one is left the area is 0 too, and so is the term's limit.
      if step.events > 0, step.events < step.atRisk {
        variance += area * area * Double(step.events) / Double(step.atRisk) / Double(step.atRisk - step.events)
      }
    }
    return (area + end, variance.squareRoot())
  }
}
