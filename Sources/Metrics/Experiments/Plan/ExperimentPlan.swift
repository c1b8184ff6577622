public import Statistics

/// The decisions taken before an experiment started; what nobody decided has a stated default.
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
    /// `nil`: it fails when the metric is worse (D1.9).
    public var margin: Margin?
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
  /// When the plan was made or first frozen, milliseconds since 1970; `nil` when nobody recorded it (D4.6).
  public var plannedOn: Int64?
  public var owner: String?
  public var hypothesis: String?
  public var change: Change?
  /// When the treatment was given to everybody, milliseconds since 1970.
  public var shippedOn: Int64?
  /// The team's own decision where it overrides the readout's.
  public var outcome: ExperimentDecision.Outcome?
  /// Roles of metrics that differ from the defaults (D10.1).
  public var roles: [String: MetricRole] = [:]
  public var adjust = Adjust.none
  /// The most that a user's revenue counts, in the decision currency (D6.5); with it the capped revenue decides.
  public var cap: Double?

  /// The kind of change that a test tries (D9.1).
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

  /// The lift within which two variants count as the same (D2.5).
  public var sameLift: Double { marginLift ?? minimumLift }

  /// 1 − ``level``.
  public var alpha: Double { 1 - level }

  public var isPlanned: Bool { plannedUsers != nil || plannedDays != nil }
}

/// The part that a metric plays in a readout (D10.1).
public enum MetricRole: String, CaseIterable, Sendable {
  case goal
  case money
  case longTerm = "long_term"
  case guardrail
  case secondary
}
