/// A rate among the users who started a trial, in two arms: cancelled ÷ trials (decisions.md D5.3 to D5.5).
///
/// Starting a trial is an outcome, so the arms' starters differ and the difference is not an effect of the treatment
/// (Frangakis & Rubin 2002, doi:10.1111/j.0006-341X.2002.00021.x). Therefore it comes with bounds for the users who
/// would start in either arm.
public struct TrialConditional: Hashable, Sendable {
  /// The exposed users of an arm, those of them with a trial, and those of these who cancelled in it.
  public struct Arm: Hashable, Sendable {
    public var users: Double
    public var trials: Double
    public var cancelled: Double

    public init(users: Double, trials: Double, cancelled: Double) {
      precondition(
        users >= trials && trials >= cancelled && cancelled >= 0,
        "cancelled is \(cancelled) of \(trials) trials of \(users) users, but must be a part of a part")
      (self.users, self.trials, self.cancelled) = (users, trials, cancelled)
    }

    /// cancelled ÷ trials.
    public var rate: Double? { trials > 0 ? cancelled / trials : nil }
    /// trials ÷ users.
    var startShare: Double? { users > 0 ? trials / users : nil }

    /// The rate as a ratio metric over users, with its variance r(1 − r)/trials · n/(n − 1).
    var ratio: MeanArm? {
      guard let rate, users > 1 else { return nil }
      let variance = rate * ((trials - cancelled) / trials) / trials * (users / (users - 1))
      return MeanArm(mean: rate, variance: variance, count: users)
    }
  }

  /// `nil` without trials.
  public var controlRate: Double?
  public var treatmentRate: Double?
  /// Treatment minus control, among trials; not an effect.
  public var difference: Double?
  /// The standard error of the difference; the unit is the exposed user (Deng, Knoblich & Lu 2018,
  /// doi:10.1145/3219819.3219919).
  public var standardError: Double?
  /// Cancellations per exposed user, treatment minus control: randomised, but more trials give more cancellations.
  public var perExposedDifference: Double?
  /// Bounds of the difference among users who would start a trial in either arm, assuming that a treatment only adds,
  /// or only removes, starters.
  ///
  /// With s = trials ÷ users and s₁ ≥ s₀: g = s₀/s₁ of the treatment's starters would have started anyway, so their
  /// rate is in [max(0, (r₁ − (1 − g))/g), min(1, r₁/g)]; s₁ < s₀ is the mirror image. `nil` without trials.
  ///
  /// Source: Lee (2009), doi:10.1111/j.1467-937X.2009.00536.x; Zhang & Rubin (2003), doi:10.3102/10769986028004353.
  public var composition: Interval?

  public init(treatment: Arm, control: Arm) {
    (treatmentRate, controlRate) = (treatment.rate, control.rate)
    if treatment.users > 0, control.users > 0 {
      perExposedDifference = treatment.cancelled / treatment.users - control.cancelled / control.users
    }
    guard let r1 = treatment.rate, let r0 = control.rate, let s1 = treatment.startShare, let s0 = control.startShare
    else { return }
    difference = r1 - r0
    if let one = treatment.ratio, let other = control.ratio {
      standardError = (one.variance + other.variance).squareRoot()
    }
    /// Returns the rates that a share g of the starters with this rate can have.
    func rates(of rate: Double, share g: Double) -> Interval {
      Interval(low: max(0, (rate - (1 - g)) / g), high: min(1, rate / g))
    }
    if s1 >= s0 {
      let kept = rates(of: r1, share: s0 / s1)
      composition = Interval(low: kept.low - r0, high: kept.high - r0)
    } else {
      let kept = rates(of: r0, share: s1 / s0)
      composition = Interval(low: r1 - kept.high, high: r1 - kept.low)
    }
  }
}
