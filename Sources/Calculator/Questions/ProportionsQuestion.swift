internal import Statistics

/// The question of whether the treatment converts better than the control.
public struct ProportionsQuestion: Sendable {
  public var control: SuccessCount
  public var treatment: SuccessCount
  /// In (0, 1).
  public var confidence: Double
  /// The loss in rate that the treatment may have and still pass, a fraction of 1 in (0, 1).
  public var margin: Double?
  /// The planned number of users N* of the always-valid interval; above 0.
  public var plannedUsers: Double

  public init(
    control: SuccessCount, treatment: SuccessCount, confidence: Double, margin: Double?, plannedUsers: Double
  ) {
    (self.control, self.treatment, self.confidence) = (control, treatment, confidence)
    (self.margin, self.plannedUsers) = (margin, plannedUsers)
  }

  public var answer: Answer {
    let comparison = ProportionsAnswer(self)
    var fields: Values = [
      "control": comparison.arm(control), "treatment": comparison.arm(treatment),
      "confidence": confidence, "difference": comparison.differenceField, "lift": comparison.liftField,
      "p_two_sided": comparison.test?.twoSidedP, "z": comparison.test?.z,
      "always_valid": comparison.alwaysValidField, "planned_users": plannedUsers,
      "p_treatment_higher": comparison.decision?.bestProbabilities[1],
      "expected_loss_choose_treatment": comparison.decision?.expectedLosses[1],
      "expected_loss_choose_control": comparison.decision?.expectedLosses[0],
    ]
    if comparison.test == nil { fields["reason"] = "not estimable: all outcomes are equal" }
    if let margin, let inferiority = comparison.marginTest {
      fields["margin"] = margin
      fields["p_non_inferior"] = inferiority.greaterP
    }
    return Answer(
      title: "Conversion of two arms, \(NumberText.level(confidence)) intervals",
      blocks: [comparison.armBlock, comparison.resultBlock], reading: comparison.reading, fields: fields)
  }
}
