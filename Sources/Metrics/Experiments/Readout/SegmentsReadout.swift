public import Statistics

/// Whether the effect on the primary differs between the segments of one dimension (D8.1 to D8.4).
public struct SegmentsReadout: Sendable {
  public enum Answer: String, Sendable {
    case differs
    /// Lifts differ by less than the least lift worth having.
    case same
    case notKnown = "not_known"
  }

  /// `platform`, `store`, `country`, `app_version` or `week`.
  public var dimension: String
  /// The treatment compared with control.
  public var variant: String
  /// In byte order of their values, `other` last.
  public var segments: [Segment]
  /// Cochran's Q on segments − 1 degrees of freedom; `nil` with fewer than two segments.
  public var q: Double?
  /// p by Holm's method over the dimensions.
  public var p: Double?
  /// The 95% upper limit of the spread τ of log lifts.
  public var spreadHigh: Double?
  /// The 95% upper limit of the largest difference between two segments: 0.6 if 1 + lift of one may be 1.6 times that of
  /// another.
  public var differenceHigh: Double?
  /// The least multiple of these users that shows, with 80%, that equal lifts differ by less than `minimum_lift`.
  public var timesUsers: Double?
  public var answer: Answer

  public struct Segment: Sendable {
    public var value: String
    public var control: SegmentArm
    public var treatment: SegmentArm
    /// The difference, with an interval that is always valid at α over the segments.
    public var difference: Double
    public var interval: Interval?
    public var lift: Double?
    /// Whether the interval is on the other side of 0 than the decision.
    public var isOpposite = false
  }
}

/// One arm of a segment or of a week.
public struct SegmentArm: Sendable {
  /// Users whose outcome counts.
  public var users: Int
  /// Users with the outcome, such as payers.
  public var outcomes: Int
  /// The share, mean or ratio; `nil` without one.
  public var estimate: Double?
}

/// Whether the effect fades or grows from one week of exposure to the next (D8.5, D8.7).
public struct TrendReadout: Sendable {
  public enum Answer: String, Sendable {
    case fades
    case grows
    case noneShown = "none_shown"
  }

  public var variant: String
  /// Whole, matured weeks of exposure, oldest first.
  public var weeks: [Week]
  /// The change of the difference per week, in the primary's unit.
  public var slope: Double
  public var standardError: Double
  /// p by Holm's method over the trends tested.
  public var p: Double
  public var answer: Answer

  /// The difference over all weeks, each by its precision.
  public var overall: Double {
    let weights = weeks.map { 1 / ($0.standardError * $0.standardError) }
    return zip(weeks, weights).reduce(0) { $0 + $1.0.difference * $1.1 } / weights.reduce(0, +)
  }

  /// Whether the last week's interval lies on the other side of 0 than the difference over all weeks.
  public var hasReversed: Bool {
    guard answer == .fades, let last = weeks.last?.interval else { return false }
    return overall > 0 ? last.high < 0 : last.low > 0
  }

  public struct Week: Sendable {
    /// The week's Monday, in days since 1970.
    public var day: Int
    public var control: SegmentArm
    public var treatment: SegmentArm
    public var difference: Double
    public var standardError: Double
    /// The always-valid interval of the difference; `nil` with too few users or outcomes (D2.3).
    public var interval: Interval?
  }
}

/// Whether the effect on a recurring metric fades or grows within users, by weeks since their exposure (D8.6, D8.7).
public struct WithinUserReadout: Sendable {
  public var variant: String
  public var first: Week
  public var last: Week
  /// Users of both arms with data for both weeks.
  public var users: Int
  /// The change of the difference per week, in the primary's unit.
  public var slope: Double
  public var standardError: Double
  public var degrees: Double
  /// p by Holm's method over the trends tested.
  public var p: Double
  public var answer = TrendReadout.Answer.noneShown
  /// Whether the metric is money: money paid once, at the start, looks like a fading effect.
  public var isMoney: Bool

  public struct Week: Sendable {
    /// The week since the exposure; 1 is the first 7 days.
    public var number: Int
    public var control: Double
    public var treatment: Double

    public var difference: Double { treatment - control }
  }
}

/// Cumulative shares of `paid` some days after the exposure, without a test (D8.6).
public struct AgeDifference: Sendable {
  public var days: Int
  /// Fractions of 1.
  public var control: Double
  public var treatment: Double

  public var difference: Double { treatment - control }
}
