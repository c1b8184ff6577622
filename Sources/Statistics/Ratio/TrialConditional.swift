/// A rate among the users who started a trial, in two arms: cancelled ÷ trials; implements D5.5.
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
    var starters: ChosenGroup? { ChosenGroup(users: users, group: trials, rate: rate) }

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
  /// ``compositionBounds(treatment:control:)`` for those who would start a trial either way; `nil` without trials.
  public var composition: Interval?

  public init(treatment: Arm, control: Arm) {
    (treatmentRate, controlRate) = (treatment.rate, control.rate)
    if treatment.users > 0, control.users > 0 {
      perExposedDifference = treatment.cancelled / treatment.users - control.cancelled / control.users
    }
    guard let one = treatment.starters, let other = control.starters else { return }
    difference = one.mean - other.mean
    if let one = treatment.ratio, let other = control.ratio {
      standardError = (one.variance + other.variance).squareRoot()
    }
    composition = compositionBounds(treatment: one, control: other)
  }
}
