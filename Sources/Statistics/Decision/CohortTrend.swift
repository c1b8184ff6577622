/// A test of whether a difference fades or grows from cohort to cohort (Decisions.md D8.5).
public struct CohortTrend: Hashable, Sendable {
  /// One cohort's difference.
  public struct Week: Hashable, Sendable {
    /// Place in time, in weeks.
    public var time: Double
    /// Treatment minus control.
    public var difference: Double
    /// The variance of the difference; above 0.
    public var variance: Double

    public init(time: Double, difference: Double, variance: Double) {
      (self.time, self.difference, self.variance) = (time, difference, variance)
    }

    /// Creates the difference of two shares, with the variance p(1 − p)(1/n₁ + 1/n₀) at the week's pooled rate p.
    ///
    /// - Returns: `nil` if an arm has no users, or nothing varies: the week says nothing about a trend.
    public init?(time: Double, _ treatment: Proportion, _ control: Proportion) {
      guard let one = treatment.estimate, let other = control.estimate else { return nil }
      let trials = treatment.trials + control.trials
      let variance =
        (treatment.successes + control.successes) / trials * ((treatment.failures + control.failures) / trials)
        * (1 / treatment.trials + 1 / control.trials)
      guard variance > 0 else { return nil }
      self.init(time: time, difference: one - other, variance: variance)
    }

    /// Of means, with the variance s²(1/n₁ + 1/n₀), s² = Σ(x − x̄)²/n of both arms' values together: of zeros and ones,
    /// that of shares.
    ///
    /// - Returns: `nil` if an arm is empty or nothing varies.
    public init?(time: Double, _ treatment: Moments, _ control: Moments) {
      guard let one = treatment.mean, let other = control.mean else { return nil }
      var all = treatment
      all.merge(control)
      let spread = (all.variance ?? 0) * (all.count - 1) / all.count
      let variance = spread * (1 / treatment.count + 1 / control.count)
      guard variance > 0 else { return nil }
      self.init(time: time, difference: one - other, variance: variance)
    }
  }

  /// b = Σw(t − t̄)d ÷ Σw(t − t̄)², w = 1/variance: the change of the difference per week, in its unit.
  public var slope: Double
  /// 1/√Σw(t − t̄)².
  public var standardError: Double
  /// The two-sided p of z = b ÷ standard error, for this test alone.
  public var p: Double

  /// - Parameter weeks: Whole and matured weeks.
  /// - Returns: `nil` below three weeks, or if all have one time.
  public init?(_ weeks: [Week]) {
    guard weeks.count >= 3 else { return nil }
    let weights = weeks.map { 1 / $0.variance }
    let centre = zip(weights, weeks).reduce(0) { $0 + $1.0 * $1.1.time } / weights.reduce(0, +)
    let spread = zip(weights, weeks).reduce(0) { $0 + $1.0 * ($1.1.time - centre) * ($1.1.time - centre) }
    guard spread > 0 else { return nil }
    slope = zip(weights, weeks).reduce(0) { $0 + $1.0 * ($1.1.time - centre) * $1.1.difference } / spread
    standardError = 1 / spread.squareRoot()
    p = NormalDistribution.twoSidedP(slope / standardError)
  }
}
