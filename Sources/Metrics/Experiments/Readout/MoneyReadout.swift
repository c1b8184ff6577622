public import Statistics

/// The money of an experiment: its currency, the coverage by rates, and the value of a year (D6).
public struct MoneyReadout: Sendable {
  /// ISO 4217.
  public var currency: String
  /// Whether some payments have no rate; then there is no annual figure, and money can only warn of `worse` (D6.3).
  public var isPartial: Bool
  /// Payers all of whose payments have a rate ÷ payers, by arm; `nil` without payers.
  public var coveredShares: [Double?]
  /// Payments without a rate, by currency.
  public var missing: [String: Int]
  /// First-30-day revenue of a year's new users, one per treatment (D6.7); `nil` if unknown.
  public var annual: [AnnualImpact?]
  /// Whole weeks of full days behind ``annual``; 0 if below two.
  public var weeks: Int
  /// Payers by arm, to weigh ``coveredShares``.
  public var payers: [Int] = []
  /// ``annual`` of one treatment if the effect stays as it was in the last two weeks; `nil` unless it fades (D8.7).
  public var annualOfLastWeeks: AnnualImpact?
}

/// Value per exposed user at 12 months, and whether it agrees with the primary (D6.9, D6.10).
public struct LongTermReadout: Sendable {
  public enum Agreement: String, Sendable {
    case agrees
    case leansAgainst = "leans_against"
    case contradicts
    case notKnown = "not_known"
  }

  /// The basis; `nil` while the leading treatment's value or control's is not known yet.
  public var basis: ValueBasis?
  /// Days of data behind the value.
  public var daysOfData: Int
  /// Values by arm; `nil` while not known yet, and where a fit at its boundary has only an interval.
  public var values: [Double?]
  public var intervals: [Interval?]
  /// Differences to control, by treatment.
  public var differences: [Double?]
  public var differenceIntervals: [Interval?]
  /// The agreement of the leading treatment's value with the primary (D6.10).
  public var agreement: Agreement
  /// The reason why it is not known, such as `fewer than 10 renewals of yearly`.
  public var reason: String?
}
