public import Statistics

/// The reading of a difference that holds however often you look.
public struct SequentialReading: Sendable {
  public enum Method: String, Sendable {
    case asymptoticSequence = "asymptotic_confidence_sequence"
    /// An e-process over the arm of each conversion, exact while conversions are few.
    case conversionShare = "conversion_share"
    /// Lan and DeMets' bounds, O'Brien–Fleming type, for a planned size or duration.
    case groupSequential = "group_sequential"
    /// One look, as planned.
    case once
    case none
  }

  public var method: Method
  public var interval: Interval?
  /// The lift's interval: Fieller's at ``criticalValue`` (D2.2); `nil` if withheld or unbounded.
  public var liftInterval: Interval?
  /// The critical value behind ``interval`` and ``liftInterval``, in standard errors of the difference.
  public var criticalValue: Double?
  /// The least p of all looks so far; the stage-wise p of a group-sequential test that has stopped.
  public var p: Double?
  /// ``p`` adjusted for the family by Holm's method.
  public var adjustedP: Double?
  /// Whether the bound is crossed at the family's level, so that the verdict may rely on it.
  public var isSignificant = false
  /// The difference, or lift, at the look of ``p``: the direction of the evidence, whatever came later.
  public var decidingEstimate: Double?
  /// The share of the planned information; `nil` without a plan.
  public var informationFraction: Double?
  /// When a group-sequential test crossed its bound, in days before the as-of.
  public var stoppedDaysBefore: Int?
  /// The share of the planned information at that time.
  public var stoppedInformationFraction: Double?
  /// The median-unbiased estimate of a test that has stopped, because the raw estimate of an early winner is too large.
  public var medianUnbiasedEstimate: Double?
  /// Whether the interval is withheld because of too few users or outcomes (D2.3).
  public var isWithheld = false
  /// The reason why there is no reading yet.
  public var reason: String?

  init(method: Method) { self.method = method }
}
