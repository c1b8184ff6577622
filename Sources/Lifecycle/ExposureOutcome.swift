/// The outcomes of one user within the horizons of an experiment's metrics, counted from an exposure (D5);
/// implements definitions 8.2.
public struct ExposureOutcome: Equatable, Sendable {
  /// The horizon of `trial_start`, and of the trials of `trial_to_paid`.
  public static let trialHorizon = 7 * day
  public static let paidHorizon = 14 * day
  /// The horizon of `retained`, which looks at the second half of it.
  public static let retainedHorizon = 14 * day
  /// The horizon of `revenue` and `refunded`, and the length of time before the exposure that the covariates cover.
  public static let revenueHorizon = 30 * day

  /// Whether an introductory trial started.
  public var hasTrial = false
  /// Whether the first introductory trial within ``trialHorizon`` was cancelled within it (definitions 2.4, D5.3).
  public var isTrialCancelled = false
  /// Whether there was a purchase (definitions 2.9).
  public var hasPaid = false
  /// Whether a payment was refunded in full.
  public var isRefunded = false
  /// Whether there was an `activity` event in the second half of ``retainedHorizon``; only product usage counts (D5.1).
  public var isRetained = false
  /// Whether there was an `activity` event within a day of the exposure (D5.2).
  public var isUsedOnFirstDay = false
  /// Whether there was an `activity` event at any time, which means that usage is logged for this user (D5.1).
  public var hasUsage = false
  /// Whether there was any event in the ``revenueHorizon`` before the exposure.
  public var wasActiveBefore = false
  /// The first trial of any kind within ``trialHorizon``.
  public var trial: Trial? {
    get { trials.first }
    set { trials = newValue.map { [$0] } ?? [] }
  }
  /// At most one; a list of none takes the least space.
  private var trials: [Trial] = []
  /// Revenue by currency, in the order of the currencies' numbers; currencies without payments or refunds are left out.
  public var revenues: [Revenue] = []

  public struct Trial: Equatable, Sendable {
    public var start: Int64
    public var end: Int64
    public var deadline: Int64
    public var convertedAt: Int64?

    public init(start: Int64, end: Int64, deadline: Int64, convertedAt: Int64?) {
      self.start = start
      self.end = end
      self.deadline = deadline
      self.convertedAt = convertedAt
    }
  }

  /// Payments minus refunds in one currency, each at its own instant (definitions 7.1), in micro-units.
  public struct Revenue: Hashable, Sendable {
    public var currency: NameID
    public var net: Int64 = 0
    /// Whether anything above 0 was paid.
    public var hasPaid = false
    /// Payments minus refunds in the ``revenueHorizon`` before the exposure.
    public var netBefore: Int64 = 0
    public var hadPaidBefore = false

    public init(currency: NameID) { self.currency = currency }

    var isNothing: Bool { net == 0 && netBefore == 0 && !hasPaid && !hadPaidBefore }
  }

  public init() {}
}
