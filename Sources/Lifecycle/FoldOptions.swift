/// Which impression a trial or purchase is credited to (definitions 2.10).
public enum Attribution: String, CaseIterable, Sendable {
  case last
  case first
  case all
}

/// What changes the facts themselves, as opposed to how they are counted.
public struct FoldOptions: Hashable, Sendable {
  /// Events at or after this instant do not exist (definitions 1.1); the greatest value means all exist.
  public var asOf: Int64
  /// Milliseconds (definitions 1.7).
  public var grace: Int64
  public var attribution: Attribution
  /// Sights of a variant before this instant are no exposures (definitions 8.1).
  public var exposuresSince = Int64.min
  /// Whether the only exposure is the first sight of any paywall or experiment, of no variant: what past users are taken
  /// from.
  public var takesFirstSight = false

  /// How long before a trial or purchase an impression is credited (definitions 2.10), and so how long behind an entry to
  /// the funnel it counts (definitions 3.2).
  public static let attributionWindow = 7 * day

  /// What the stored facts are folded with: every event, 3 days of grace, the last impression.
  public static let stored = FoldOptions(asOf: .max, grace: 3 * day, attribution: .last)

  public init(asOf: Int64, grace: Int64, attribution: Attribution) {
    self.asOf = asOf
    self.grace = grace
    self.attribution = attribution
  }
}

/// 86,400,000 ms: the day of every window.
public let day: Int64 = 86_400_000
