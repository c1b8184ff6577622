/// The progress of a test and its remaining time (D3, D4).
public struct TestSchedule: Sendable {
  /// The rule by which the primary is read (D4.2, D4.3).
  public enum Rule: String, Sendable {
    case alwaysValid = "always_valid"
    case groupSequential = "group_sequential"
    case once
  }

  public var rule: Rule
  /// The first and the last exposure, milliseconds since 1970; `nil` if no user is exposed.
  public var exposures: ClosedRange<Int64>?
  /// Whether no more exposures are expected (D4.1).
  public var isEnded: Bool
  /// Exposed users whose outcome of the primary counts.
  public var analysed: Int
  /// Exposed users whose outcome of the primary is too recent to count.
  public var immature: Int
  /// Analysed users ÷ planned users, or days of exposures ÷ planned days; `nil` without a plan.
  public var plannedShare: Double?
  /// Exposures per day (D3.4); `nil` without a full day.
  public var usersADay: Double?
  /// Users of all arms needed to find the plan's least lift with 80% power (D3.2); `nil` if that has no meaning.
  public var usersNeeded: Double?
  /// Users of all arms needed to show equivalence with 80% power if there is no difference (D3.3).
  public var usersNeededForEquivalence: Double?
  /// The size to wait for; `nil` if more such users would hardly settle the test (D3.5).
  public var target: Double?
  /// Days until the target's last outcome is known (D3.5); `nil` without a target or arrivals.
  public var daysMore: Double?
  /// Whether a plan's size is still to come and this traffic reaches it (D3.6).
  public var isPlanOpen = false
  /// Whole days until the outcomes of the planned size are known; `nil` without such a plan, or if the arrival rate is
  /// unknown.
  public var daysToLook: Double?
  /// The least lift that this traffic can find within the patience (D3.7); `nil` if there is none.
  public var leastLift: Double?
  /// Days of the primary's horizon.
  public var horizonDays: Double
  /// p of one look at a test that ended without a plan: a hint that decides nothing (D4.5).
  public var oneLookP: Double?

  /// Exposed users whose outcome counts ÷ all exposed users; `nil` if no user is exposed.
  public var maturedShare: Double? {
    analysed + immature > 0 ? Double(analysed) / Double(analysed + immature) : nil
  }
}
