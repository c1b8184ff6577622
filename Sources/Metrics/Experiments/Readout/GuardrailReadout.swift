public import Statistics

/// A metric's standing against its margin, by the always-valid interval (D1.9).
public struct GuardrailReadout: Sendable {
  public var metric: ExperimentMetric
  /// The margin; `nil` for a guardrail by role alone.
  public var margin: ExperimentPlan.Guardrail.Margin?
  public var variant: String
  public var state: ExperimentDecision.Guardrail.State
  public var difference: Double?
  public var lift: Double?
}
