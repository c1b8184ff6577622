/// The next step after a decision other than `ship` (Decisions.md D3.6).
public enum NextStep: String, CaseIterable, Sendable {
  /// The test runs, and can decide in time.
  case wait
  /// With this traffic the test will not decide in time: keep control; the decision stays `undecided`.
  case stop
  /// The test has ended, but a new one with this traffic would decide in time.
  case restart
  /// Keep control and end the test.
  case keepControl = "keep_control"
  /// The data are faulty and cannot be read until the fault is found.
  case fix
}

/// The users and days that a test still needs, and the next step (Decisions.md D3.5, D3.6).
public struct RemainingTest: Hashable, Sendable {
  /// Users analysed so far, in all arms.
  public var users: Double
  /// `persons_needed`, for all arms; `nil` if there is none.
  public var needed: Double?
  /// `persons_needed_equivalence`.
  public var neededForSameness: Double?
  /// Exposures per day, in all arms; 0 without traffic.
  public var usersADay: Double
  /// Days from exposure to the primary's outcome.
  public var horizonDays: Double
  /// `patience_days`: the longest acceptable wait.
  public var patienceDays: Double
  public var isEnded: Bool
  /// Whether any user in control has the outcome.
  public var hasControlOutcome: Bool
  /// Whether a plan's size is still to come, and this traffic reaches it: its look is waited for.
  public var isPlanOpen = false

  public init(
    users: Double, needed: Double?, neededForSameness: Double?, usersADay: Double, horizonDays: Double,
    patienceDays: Double = 56, isEnded: Bool, hasControlOutcome: Bool
  ) {
    (self.users, self.needed, self.neededForSameness) = (users, needed, neededForSameness)
    (self.usersADay, self.horizonDays, self.patienceDays) = (usersADay, horizonDays, patienceDays)
    (self.isEnded, self.hasControlOutcome) = (isEnded, hasControlOutcome)
  }

  /// The number of users that settles the test: `needed` while there are fewer, then `neededForSameness`.
  ///
  /// - Returns: `nil` beyond both: the effect is close to the margin, and more users are unlikely to settle it.
  public var target: Double? { [needed, neededForSameness].compactMap(\.self).first { users < $0 } }

  /// `days_more`: ⌈(target − n) ÷ V⌉ + h; implements D3.5.
  ///
  /// - Returns: `nil` without a target or without traffic.
  public var daysMore: Double? {
    target.flatMap { usersADay > 0 ? (($0 - users) / usersADay).rounded(.up) + horizonDays : nil }
  }

  /// Returns the next step after `decision`; implements D3.6.
  ///
  /// - Returns: `nil` after `ship`, when the next step is to ship.
  public func next(after decision: ExperimentDecision) -> NextStep? {
    switch decision.outcome {
    case .ship: return nil
    case .doNotShip, .noDifference: return .keepControl
    case .none: return .fix
    case .undecided: break
    }
    // A winner that is held back is not stopped for lack of users.
    let givenUp: NextStep = decision.isHeldBack ? .keepControl : .stop
    if !isEnded {
      if isPlanOpen || !hasControlOutcome { return .wait }
      return daysMore.map { $0 <= patienceDays } ?? false ? .wait : givenUp
    }
    // Not rounded up to whole days, as in D3.6.
    guard let target, usersADay > 0, target / usersADay + horizonDays <= patienceDays else { return givenUp }
    return decision.isHeldBack ? .keepControl : .restart
  }
}

extension ExperimentDecision {
  /// Whether the decision is open although a treatment is better: money, a guardrail or long-term value may contradict.
  public var isHeldBack: Bool {
    outcome == .undecided
      && (reason.hasPrefix("watched_open:") || reason.hasPrefix("guardrail_open:") || reason == "long_term")
  }
}
