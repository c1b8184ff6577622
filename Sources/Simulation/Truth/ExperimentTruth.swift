/// An experiment with two arms of half the users each, and the treatment's true effect.
public struct ExperimentTruth: Sendable, Hashable {
  /// The correct conclusion about the treatment.
  public enum Verdict: String, Sendable, Hashable, CaseIterable {
    case winner
    case loser
    case null
    /// More trials, fewer paid months: should not ship.
    case trap
  }

  /// The factors that the treatment applies to control's rates; 1 changes nothing.
  public struct Effect: Sendable, Hashable {
    /// Factor of the trial rate.
    public var trial = 1.0
    /// Factor of the direct purchase rate.
    public var direct = 1.0
    /// Factor of the share of trials that are *not* cancelled.
    public var trialKeeping = 1.0
    /// Factor of the hazards of cancelling a subscription.
    public var cancel = 1.0
    /// Factor of the refund rates of the first payment.
    public var refund = 1.0
    /// The split of direct purchases by plan; `nil` keeps control's.
    public var planShares: [PlanShare]?
  }

  public static let controlName = "control"

  /// The name in event files, such as `steps_yearly_anchor`.
  public var name: String
  public var treatmentName: String
  public var verdict: Verdict
  public var effect: Effect
  /// The treatment and the reason for its effect, in one sentence.
  public var reason: String

  /// Control first.
  public var variants: [String] { [Self.controlName, treatmentName] }

  /// Returns the effect of an arm; control has none.
  public func effect(ofVariant variant: String) -> Effect {
    variant == treatmentName ? effect : Effect()
  }
}
