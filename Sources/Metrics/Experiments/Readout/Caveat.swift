/// Something that a reader of a decision has to know beside it, worst first (D11.4).
public enum Caveat: Sendable, Equatable {
  /// Shares are off within a segment, though not in all.
  case sampleRatio(dimension: String, value: String)
  /// Ended at this share of its planned size (D4.4).
  case endedEarly(share: Double)
  /// Planned after a quarter of the users was exposed: read as unplanned (D4.6).
  case plannedLate
  /// Ended without a plan for one look (D4.5).
  case endedWithoutPlan(lastExposure: Int64, oneLookP: Double)
  /// Value at 12 months is likely on the other side than the primary (D6.10).
  case longTermLeansAgainst
  /// A guardrail of users whom the outcome chose (D5.6).
  case conditionalGuardrail(metric: String)
  /// Not all payers' money is in the decision currency (D6.3).
  case partialMoney
  /// Revenue cannot be compared: nothing watches the win (D1.5).
  case moneyNotEstimable
  /// Capping the largest sums changes the sign of the difference, or the decision (D6.5).
  case cap
  /// The effect gets smaller from week to week (D8.7).
  case fading
  /// A segment whose interval is on the other side than the decision (D8.4).
  case oppositeSegment(dimension: String, value: String)
  /// The whole lift interval is below the least lift worth having (D1.10).
  case smallWin
  /// Usage is logged differently in the arms (D5.2).
  case loggingDiffers
  /// The adjusted difference would decide otherwise (D10.3).
  case adjustmentDiffers
  /// More trials start, and the extra ones may explain the cancellations (D5.4).
  case composition(variant: String)
  /// Under half of the exposed users are counted (D3.8).
  case immature(share: Double)
  /// Nobody recorded when the plan was made (D4.6).
  case planDateUnknown
}
