/// Successes among trials: rates are stored this way until they are printed, so that groups merge exactly.
public struct Proportion: Hashable, Sendable {
  /// 0 to `trials`.
  public var successes: Double
  public var trials: Double

  public init(successes: Double, trials: Double) {
    precondition(
      successes >= 0 && successes <= trials && trials.isFinite,
      "successes is \(successes), but must be between 0 and trials, \(trials)")
    self.successes = successes
    self.trials = trials
  }

  public var failures: Double { trials - successes }

  /// A fraction of 1; `nil` without trials.
  public var estimate: Double? { trials == 0 ? nil : successes / trials }

  /// The proportion with successes and failures exchanged.
  var complement: Proportion { Proportion(successes: failures, trials: trials) }
}
