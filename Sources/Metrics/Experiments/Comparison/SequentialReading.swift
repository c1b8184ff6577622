public import Statistics

/// What can be said of a difference however often it is looked at.
public struct SequentialReading: Sendable {
  public enum Method: String, Sendable {
    /// An asymptotic confidence sequence.
    case asymptoticSequence = "asymptotic_confidence_sequence"
    /// The e-process over which arm each conversion falls in, exact while there are few.
    case conversionShare = "conversion_share"
    /// Lan and DeMets' bounds, O'Brien–Fleming type, for a planned size or duration.
    case groupSequential = "group_sequential"
    /// One look, as planned.
    case once
    case none
  }

  public var method: Method
  /// Of the difference.
  public var interval: Interval?
  /// Of the lift: Fieller's at ``criticalValue`` (D2.2); `nil` where withheld or not bounded.
  public var liftInterval: Interval?
  /// In standard errors of the difference: the one behind ``interval`` and ``liftInterval``.
  public var criticalValue: Double?
  /// The least of all looks so far; of a group-sequential test that has stopped, the stage-wise one.
  public var p: Double?
  /// ``p`` adjusted for the family by Holm's method.
  public var adjustedP: Double?
  /// Whether the verdict may go by it: the bound is crossed at the family's level.
  public var isSignificant = false
  /// The difference, or lift, at the look that ``p`` is of: which way the evidence points, whatever came later.
  public var decidingEstimate: Double?
  /// The share of the planned information; `nil` without a plan.
  public var informationFraction: Double?
  /// When a group-sequential test crossed its bound, in days before the as-of.
  public var stoppedDaysBefore: Int?
  /// The share of the planned information then.
  public var stoppedInformationFraction: Double?
  /// Once it has stopped: the raw estimate of an early winner is too large.
  public var medianUnbiasedEstimate: Double?
  /// Whether too few users or outcomes keep the interval back (D2.3).
  public var isWithheld = false
  /// Why there is no reading yet.
  public var reason: String?

  init(method: Method) { self.method = method }
}
