/// What was decided before an experiment began; what nobody decided has a stated default.
public struct ExperimentPlan: Sendable, Equatable {
  /// How often the results are looked at with a right to stop.
  public enum Looks: String, CaseIterable, Sendable {
    /// Any number of times: the default. Verdicts hold under daily looks.
    case daily
    /// Once, at the end: the fixed-size test decides.
    case once
  }

  /// A variant and its share of the users.
  public struct Share: Sendable, Equatable {
    public var variant: String
    /// Of any scale, 0 or more.
    public var weight: Double
  }

  /// How much worse than the control a metric may be.
  public struct Guardrail: Sendable, Equatable {
    /// What the margin is counted in.
    public enum Margin: Sendable, Equatable {
      /// In the metric's own unit, above 0: 0.01 is one percentage point of a share.
      case absolute(Double)
      /// A share of the control's value, in (0, 1).
      case relative(Double)
    }

    public var metric: String
    public var margin: Margin
  }

  /// The app; `nil` for every one that the experiment is seen in.
  public var app: String?
  /// In the order of the file; `nil` for even shares of the variants seen.
  public var shares: [Share]?
  /// `nil` for `control`, or the first variant in byte order.
  public var control: String?
  /// Milliseconds since 1970; exposures before it do not count.
  public var start: Int64?
  /// Milliseconds since 1970; exposures from it on do not count.
  public var end: Int64?
  /// The metric that decides; `nil` for the default (``DecisionMetric``).
  public var primary: String?
  public var guardrails: [Guardrail] = []
  /// In all variants together, at the end.
  public var plannedUsers: Double?
  /// Days of exposures.
  public var plannedDays: Double?
  public var looks = Looks.daily
  /// Of intervals and verdicts, in (0, 1).
  public var level = 0.95
  /// The least lift worth finding, as a share of the control's value; of sample sizes only.
  public var minimumLift = 0.1
  /// Metrics that share one error rate with the primary; the primary is always one of them.
  public var family: [String] = []
  public var metrics: [OwnMetric] = []

  public init() {}

  /// 1 − ``level``.
  public var alpha: Double { 1 - level }

  public var isPlanned: Bool { plannedUsers != nil || plannedDays != nil }
}
