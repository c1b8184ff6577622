/// The outcomes of one user within the horizons of an experiment's metrics, counted from an exposure (definitions 8.2,
/// D5).
public struct ExposureOutcome: Equatable, Sendable {
  /// Of `trial_start`, and of the trials of `trial_to_paid`.
  public static let trialHorizon = 7 * day
  /// Of `paid`.
  public static let paidHorizon = 14 * day
  /// Of `retained`, whose window is the second half.
  public static let retainedHorizon = 14 * day
  /// Of `revenue` and `refunded`; and how far back before the exposure the covariates look.
  public static let revenueHorizon = 30 * day

  /// An introductory trial began.
  public var hasTrial = false
  /// The first introductory trial within ``trialHorizon`` was cancelled in it (definitions 2.4, D5.3).
  public var isTrialCancelled = false
  /// A purchase (definitions 2.9).
  public var hasPaid = false
  /// A payment had been given back in full.
  public var isRefunded = false
  /// An `activity` event in the second half of ``retainedHorizon``: product usage alone (D5.1).
  public var isRetained = false
  /// An `activity` event within a day of the exposure (D5.2).
  public var isUsedOnFirstDay = false
  /// An `activity` event at any time: whether usage is logged for the user at all (D5.1).
  public var hasUsage = false
  /// Any event in the ``revenueHorizon`` before the exposure.
  public var wasActiveBefore = false
  /// The first of any kind within ``trialHorizon``.
  public var trial: Trial?
  /// By number of the currency; those of which there is something to say.
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

  /// Payments less refunds of one currency, each at its own instant (definitions 7.1), in micro-units.
  public struct Revenue: Hashable, Sendable {
    public var currency: NameID
    public var net: Int64 = 0
    /// Whether something above 0 was paid.
    public var hasPaid = false
    /// The same in the ``revenueHorizon`` before the exposure.
    public var netBefore: Int64 = 0
    public var hadPaidBefore = false

    public init(currency: NameID) { self.currency = currency }

    var isNothing: Bool { net == 0 && netBefore == 0 && !hasPaid && !hadPaidBefore }
  }

  public init() {}
}
