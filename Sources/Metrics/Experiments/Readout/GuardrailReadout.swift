public import Statistics

/// How a metric stands against its margin, by the always-valid interval (D1.9).
public struct GuardrailReadout: Sendable {
  public var metric: ExperimentMetric
  /// `nil` of a guardrail by role alone.
  public var margin: ExperimentPlan.Guardrail.Margin?
  public var variant: String
  public var state: ExperimentDecision.Guardrail.State
  public var difference: Double?
  public var lift: Double?
}
