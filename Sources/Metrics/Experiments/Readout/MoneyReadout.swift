public import Statistics

/// The money of an experiment: its currency, how much of it is covered by rates, and what a year is worth (D6).
public struct MoneyReadout: Sendable {
  /// ISO 4217.
  public var currency: String
  /// Some payments have no rate: no annual figure, and money watches only for `worse` (D6.3).
  public var isPartial: Bool
  /// Payers all of whose payments have a rate ÷ payers, by arm; `nil` without payers.
  public var coveredShares: [Double?]
  /// Payments without a rate, by currency.
  public var missing: [String: Int]
  /// First-30-day revenue of a year's new users, one per treatment (D6.7); `nil` where not known.
  public var annual: [AnnualImpact?]
  /// Whole weeks of full days behind ``annual``; 0 below two.
  public var weeks: Int
}

/// Value per exposed user at 12 months, and whether it agrees with the primary (D6.9, D6.10).
public struct LongTermReadout: Sendable {
  public enum Basis: String, Sendable {
    case seen
    case predicted
    case assumed
  }

  public enum Agreement: String, Sendable {
    case agrees
    case leansAgainst = "leans_against"
    case contradicts
    case notKnown = "not_known"
  }

  /// `nil` while not known yet.
  public var basis: Basis?
  /// Days of data behind it.
  public var daysOfData: Int
  /// By arm; `nil` while not known yet.
  public var values: [Double?]
  public var intervals: [Interval?]
  /// By treatment, against control.
  public var differences: [Double?]
  public var differenceIntervals: [Interval?]
  /// Of the leading treatment (D6.10).
  public var agreement: Agreement
  /// Why it is not known, such as `fewer than 10 renewals of yearly`.
  public var reason: String?
}
