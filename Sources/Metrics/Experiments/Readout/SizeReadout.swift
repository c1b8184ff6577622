/// Effects that the experiment can find now, and the time until it finds the wanted one.
public struct SizeReadout: Sendable {
  public var metric: ExperimentMetric
  public var variant: String
  /// Absolute, in the metric's unit: found in 4 of 5 cases by one look at the present size.
  public var detectable: Double?
  /// ``detectable`` under daily looks.
  public var detectableSequentially: Double?
  /// As a share of the control's value.
  public var detectableLift: Double?
  /// The lift that the sizes below are for.
  public var wantedLift: Double
  /// In the two variants together, under daily looks.
  public var usersNeeded: Double?
  /// Exposed persons a day, of the last 14 days, in the two variants.
  public var usersPerDay: Double
  /// Until the last needed person's outcome is known; `nil` when nobody arrives.
  public var daysNeeded: Double?
  public var reason: String?
}
