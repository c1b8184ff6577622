internal import EventModel

/// Selects the impressions that a trial or purchase is credited to (definitions 2.10).
public enum Attribution: String, CaseIterable, Sendable {
  case last
  case first
  case all
}

/// The options that change the facts themselves, not just how they are counted.
public struct FoldOptions: Hashable, Sendable {
  /// Events at or after this instant are ignored (definitions 1.1); the greatest value includes all events.
  public var asOf: Int64
  /// The kinds of which later events count too, a bit for each raw value, as far as they are before ``laterEnd``.
  public var laterKinds: UInt64 = 0
  public var laterEnd = Int64.min
  /// The grace period in milliseconds (definitions 1.7).
  public var grace: Int64
  public var attribution: Attribution
  /// Whether exposures are recorded.
  public var takesExposures = true
  /// Views of a variant before this instant are not exposures.
  public var exposuresSince = Int64.min
  /// Whether the only exposure is the first view of any paywall or experiment, recorded without a variant; used to
  /// build experiments from past users.
  public var takesFirstSight = false
  /// Whether failed charges are recorded, which no stored fact keeps.
  public var takesFailedCharges = false
  /// Whether cancellations and what became of them are recorded, which no stored fact keeps.
  public var takesCancellations = false
  /// Whether ``TrialFact/expiredAt``, ``TrialFact/repeats`` and ``PaymentFact/expiredAt`` are recorded, which no stored
  /// fact keeps.
  public var takesEventTimes = false
  /// Whether payments that were given back in full never were, as a vendor counts them (definitions 13.1).
  public var erasesRefunded = false
  /// The instant of ``SpellFact/isOff`` if it is before the as-of.
  public var renewalAt = Int64.max

  /// The attribution window: how long an impression before a trial or purchase can be credited (definitions 2.10), and
  /// how long after the funnel entry a user's events count for ``FunnelSteps``.
  public static let attributionWindow = 7 * day

  /// The options of the stored facts: all events, 3 days of grace, attribution to the last impression.
  public static let stored = FoldOptions(asOf: .max, grace: 3 * day, attribution: .last)

  public init(asOf: Int64, grace: Int64, attribution: Attribution) {
    self.asOf = asOf
    self.grace = grace
    self.attribution = attribution
  }

  /// Returns whether an event exists.
  @inline(__always)
  func knows(_ kind: EventKind, at ts: Int64) -> Bool {
    ts < asOf || (ts < laterEnd && laterKinds >> UInt64(kind.rawValue) & 1 != 0)
  }
}

/// A day in every window: 86,400,000 ms.
public let day: Int64 = 86_400_000
