/// A caveat for the reader of a decision. ``CaveatRule`` finds them, and puts the worst first.
public enum Caveat: Sendable, Equatable {
  /// A guardrail of so few outcomes that it cannot fail is far worse in the variant to ship.
  case guardrailTooFew(metric: String)
  /// Shares mismatch within a segment, but not overall.
  case sampleRatio(dimension: String, value: String)
  /// More than 5% of the users saw several variants and are left out: this share.
  case crossed(share: Double)
  /// Ended at this share of its planned size (D4.4).
  case endedEarly(share: Double)
  /// Planned after a quarter of the users was exposed, so read as unplanned (D4.6).
  case plannedLate
  /// Ended without a plan for one look (D4.5).
  case endedWithoutPlan(lastExposure: Int64, oneLookP: Double)
  /// Only users with these values, such as `country=DE`, were asked for.
  case partOfUsers(filters: [String])
  /// Only users first exposed on some days were asked for, of a test that has others.
  case partOfTest
  /// Trials are as long as the goal's days, so that users in a trial cannot have paid in time.
  case trialsOutlastGoal(trialDays: Int, goalDays: Int)
  /// A bound was crossed at an earlier look, but the interval of now includes zero (D1.3).
  case intervalReturned
  /// The value at 12 months probably points the other way than the primary (D6.10).
  case longTermLeansAgainst
  /// A guardrail over users selected by the outcome (D5.6).
  case conditionalGuardrail(metric: String)
  /// Some payers' money has no rate to the decision currency (D6.3).
  case partialMoney
  /// Revenue cannot be compared, so no metric checks the win for lost money (D1.5).
  case moneyNotEstimable
  /// Capping the largest sums changes the sign of the difference, or the decision (D6.5).
  case cap
  /// The effect gets smaller from week to week (D8.7).
  case fading
  /// A segment whose interval points the other way than the decision (D8.4).
  case oppositeSegment(dimension: String, value: String)
  /// The effect of an undecided test differs, and the interval of one segment is above 0 and that of another below.
  case segmentsDisagree(dimension: String)
  /// The whole lift interval is below the least lift worth having (D1.10).
  case smallWin
  /// Usage is logged differently in the arms (D5.2).
  case loggingDiffers
  /// The adjusted difference would decide otherwise (D10.3).
  case adjustmentDiffers
  /// More trials start, and the additional ones may explain the cancellations (D5.4).
  case composition(variant: String)
  /// Under half of the exposed users count so far (definitions 8.2).
  case immature(share: Double)
  /// The app has no trial or payment, so usage is the goal although no plan says so.
  case usageDecides
  /// No variant is named `control`, and no plan says which one it is.
  case controlAssumed
  /// It is not recorded when the plan was made (D4.6).
  case planDateUnknown
}
