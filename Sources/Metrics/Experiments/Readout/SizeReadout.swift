/// The effect that the experiment can find now, and the time until it finds the wanted one.
public struct SizeReadout: Sendable {
  public var metric: ExperimentMetric
  public var variant: String
  /// The absolute effect, in the metric's unit, found with 80% power by one look at the present size.
  public var detectable: Double?
  /// ``detectable`` under daily looks.
  public var detectableSequentially: Double?
  /// ``detectable`` as a share of the control's value.
  public var detectableLift: Double?
  /// The lift that the sizes below are for.
  public var wantedLift: Double
  /// Users needed in all variants, by the rule that decides (D3.2).
  public var usersNeeded: Double?
  /// Exposed users per day in all variants (D3.4).
  public var usersPerDay: Double
  /// Days until the last needed user's outcome is known; `nil` if no users arrive.
  public var daysNeeded: Double?
  public var reason: String?
}
