/// One experiment of two arms, half of the persons each, and the treatment's true effect.
public struct ExperimentTruth: Sendable, Hashable {
  /// What a right readout concludes about the treatment.
  public enum Verdict: String, Sendable, Hashable, CaseIterable {
    case winner
    case loser
    case null
    /// More trials, fewer paid months: not to be shipped.
    case trap
  }

  /// What the treatment multiplies; 1 leaves control's rate as it is.
  public struct Effect: Sendable, Hashable {
    /// The trial rate.
    public var trial: Double
    /// The direct purchase rate.
    public var direct: Double
    /// The share of trials that are *not* cancelled.
    public var trialKeeping: Double
    /// The hazards of cancelling a subscription.
    public var cancel: Double
    /// The refund rates of the first payment.
    public var refund: Double
    /// The split of direct purchases by plan; `nil` leaves it.
    public var planShares: [PlanShare]?

    public init(
      trial: Double = 1, direct: Double = 1, trialKeeping: Double = 1, cancel: Double = 1, refund: Double = 1,
      planShares: [PlanShare]? = nil
    ) {
      self.trial = trial
      self.direct = direct
      self.trialKeeping = trialKeeping
      self.cancel = cancel
      self.refund = refund
      self.planShares = planShares
    }
  }

  public static let controlName = "control"

  /// As in event files, such as `steps_yearly_anchor`.
  public var name: String
  public var treatmentName: String
  public var verdict: Verdict
  public var effect: Effect
  /// What the treatment does, and why it has this effect; a sentence.
  public var reason: String

  public init(name: String, treatmentName: String, verdict: Verdict, effect: Effect, reason: String) {
    self.name = name
    self.treatmentName = treatmentName
    self.verdict = verdict
    self.effect = effect
    self.reason = reason
  }

  /// Control first.
  public var variants: [String] { [Self.controlName, treatmentName] }

  /// The effect of an arm; control's changes nothing.
  public func effect(ofVariant variant: String) -> Effect {
    variant == treatmentName ? effect : Effect()
  }
}
