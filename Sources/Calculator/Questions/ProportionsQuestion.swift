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
    var fields: [String: JSONValue] = [
      "control": .object(comparison.arm(control)), "treatment": .object(comparison.arm(treatment)),
      "confidence": .number(confidence), "difference": comparison.differenceField, "lift": comparison.liftField,
      "p_two_sided": JSONValue(comparison.test?.twoSidedP), "z": JSONValue(comparison.test?.z),
      "always_valid": comparison.alwaysValidField, "planned_users": .number(plannedUsers),
      "p_treatment_higher": JSONValue(comparison.decision?.bestProbabilities[1]),
      "expected_loss_choose_treatment": JSONValue(comparison.decision?.expectedLosses[1]),
      "expected_loss_choose_control": JSONValue(comparison.decision?.expectedLosses[0]),
    ]
    if comparison.test == nil { fields["reason"] = .string("not estimable: all outcomes are equal") }
    if let margin, let inferiority = comparison.marginTest {
      fields["margin"] = .number(margin)
      fields["p_non_inferior"] = JSONValue(inferiority.greaterP)
    }
    return Answer(
      title: "Conversion of two arms, \(NumberText.level(confidence)) intervals",
      blocks: [comparison.armBlock, comparison.resultBlock], reading: comparison.reading, fields: fields)
  }
}
