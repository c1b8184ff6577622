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

  /// Outcomes that are true of the user or not.
  public struct Flags: OptionSet, Sendable {
    public let rawValue: UInt16

    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// An `activity` event in the second half of ``retainedHorizon``; only product usage counts (D5.1).
    @inlinable public static var isRetained: Self { Self(rawValue: 1) }
    /// The start of an introductory trial.
    @inlinable public static var hasTrial: Self { Self(rawValue: 2) }
    /// A purchase (definitions 2.9).
    @inlinable public static var hasPaid: Self { Self(rawValue: 4) }
    /// The first introductory trial within ``trialHorizon`` was cancelled within it (definitions 2.4, D5.3).
    @inlinable public static var isTrialCancelled: Self { Self(rawValue: 8) }
    /// A payment that was refunded in full.
    @inlinable public static var isRefunded: Self { Self(rawValue: 16) }
    /// Any event in the ``revenueHorizon`` before the exposure.
    @inlinable public static var wasActiveBefore: Self { Self(rawValue: 32) }
    /// An `activity` event at any time, which means that usage is logged for this user (D5.1).
    @inlinable public static var hasUsage: Self { Self(rawValue: 128) }
    /// An `activity` event within a day of the exposure (D5.2).
    @inlinable public static var isUsedOnFirstDay: Self { Self(rawValue: 256) }
  }

  public var flags: Flags = []
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
