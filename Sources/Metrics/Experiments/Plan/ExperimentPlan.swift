public import Statistics

/// The decisions taken before an experiment started; anything undecided has a documented default.
public struct ExperimentPlan: Sendable, Equatable {
  /// The number of looks at the results that may stop the test.
  public enum Looks: String, CaseIterable, Sendable {
    /// Any number of times: the default. Verdicts hold under daily looks.
    case daily
    /// Once, at the end: the fixed-size test decides.
    case once
  }

  /// A variant and its share of the users.
  public struct Share: Sendable, Equatable {
    public var variant: String
    /// A weight on any scale, 0 or more.
    public var weight: Double
  }

  /// The margin by which a metric may be worse than control.
  public struct Guardrail: Sendable, Equatable {
    public enum Margin: Sendable, Equatable {
      /// In the metric's own unit, above 0: 0.01 is one percentage point of a share.
      case absolute(Double)
      /// A share of the control's value, in (0, 1).
      case relative(Double)
    }

    public var metric: String
    /// The margin; without one (`nil`) the guardrail fails if the metric is worse (D1.9).
    public var margin: Margin?
  }

  /// The app; `nil` for every app with the experiment.
  public var app: String?
  /// Shares in the order of the file; `nil` for even shares of the variants seen.
  public var shares: [Share]?
  /// The control; `nil` for `control`, or else the first variant in byte order.
  public var control: String?
  /// Milliseconds since 1970; exposures before it do not count.
  public var start: Int64?
  /// Milliseconds since 1970; exposures from it on do not count.
  public var end: Int64?
  /// The metric that decides; `nil` for the default (``DecisionMetric``).
  public var primary: String?
  public var guardrails: [Guardrail] = []
  /// Planned users of all variants together, at the end.
  public var plannedUsers: Double?
  public var plannedDays: Double?
  public var looks = Looks.daily
  /// The level of intervals and verdicts, in (0, 1).
  public var level = 0.95
  /// The least lift worth finding, as a share of the control's value; it affects sample sizes only.
  public var minimumLift = 0.1
  /// Metrics that share one error rate with the primary, which is always one of them.
  public var family: [String] = []
  public var metrics: [OwnMetric] = []
  /// The currency of all money, ISO 4217; `nil` for the rule of D6.1.
  public var currency: String?
  /// Whether `ship` needs a better treatment, or one that is not worse by more than ``margin`` (D1.11).
  public var aim = ExperimentDecision.Aim.better
  /// The largest difference that does not matter, in the primary's unit, above 0; `nil` for ``marginLift``.
  public var margin: Double?
  /// The largest lift that does not matter, a share of the control's value, above 0; `nil` for ``minimumLift``.
  public var marginLift: Double?
  /// Days that a running test may still take before the advice is to stop it (D3.6).
  public var patienceDays = 56.0
  /// Days without an exposure after which a test has ended (D4.1).
  public var quietDays = 7.0
  /// When the plan was made or first frozen, milliseconds since 1970; `nil` if not recorded (D4.6).
  public var plannedOn: Int64?
  public var owner: String?
  public var hypothesis: String?
  public var change: Change?
  /// When the treatment went to all users, milliseconds since 1970.
  public var shippedOn: Int64?
  /// The team's own decision if it overrides the readout's.
  public var outcome: ExperimentDecision.Outcome?
  /// Roles of metrics that differ from the defaults (D10.1).
  public var roles: [String: MetricRole] = [:]
  public var adjust = Adjust.none
  /// The most that a user's revenue counts, in the decision currency (D6.5); if set, the capped revenue decides.
  public var cap: Double?

  /// The kind of change that a test tries (Program.md, "Plans").
  public enum Change: String, CaseIterable, Sendable {
    case price
    case trial
    case planMix = "plan_mix"
    case design
    case copy
    case placement
    case timing
    case other
  }

  /// Whether history adjusts the difference that decides (D10.3).
  public enum Adjust: String, CaseIterable, Sendable {
    case none
    case cuped
  }

  public init() {}

  /// The lift within which two variants count as the same.
  public var sameLift: Double { marginLift ?? minimumLift }

  /// 1 − ``level``.
  public var alpha: Double { 1 - level }

  public var isPlanned: Bool { plannedUsers != nil || plannedDays != nil }
}

/// The role of a metric in a readout (D10.1).
public enum MetricRole: String, CaseIterable, Sendable {
  case goal
  case money
  case longTerm = "long_term"
  case guardrail
  case secondary
}
