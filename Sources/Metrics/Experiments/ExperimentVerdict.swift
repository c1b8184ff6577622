/// What to do with an experiment, and why.
public struct ExperimentVerdict: Sendable, Equatable {
  public enum Decision: Sendable, Equatable {
    /// The treatment is better by the primary, and nothing that is watched is worse.
    case ship(variant: String)
    /// Every treatment is worse, or better only where it does not count.
    case doNotShip(variant: String)
    /// Neither better nor worse: in one look not even nearly so.
    case noDifference
    /// Perhaps better or worse; not so under daily looks yet.
    case undecided(variant: String)
    /// There is no verdict.
    case none
  }

  public enum Reason: Sendable, Equatable {
    /// The primary decides.
    case primary
    /// The primary is better, but this metric that is watched is worse.
    case watched(metric: String)
    /// A guardrail's margin is passed.
    case guardrail(metric: String)
    /// A guardrail is not shown to hold yet.
    case guardrailOpen(metric: String)
    /// Observed shares do not fit the planned ones (definitions 8.5).
    case sampleRatio
    /// Persons in a variant without a planned share.
    case leak
    /// One variant, or nobody exposed.
    case nothingToCompare
    /// The primary cannot be compared yet.
    case notEstimable(String)
  }

  public var decision: Decision
  public var reason: Reason
  public var primary: String
  /// Of the primary, of the variant that the decision is about; the place in ``ExperimentReadout/treatments``.
  public var arm: Int?
  /// The largest difference, up or down, that the interval has room for; of ``Decision/noDifference``.
  public var bound: Double?
  /// Metrics on which the variant is better at one look, such as trials that are won and lost again.
  public var wins: [String] = []
}

/// How a metric stands against its margin.
public struct GuardrailReadout: Sendable {
  public enum State: String, Sendable {
    case nonInferior = "non_inferior"
    case inferior
    case undecided
    case notEstimable = "not_estimable"
  }

  public var metric: ExperimentMetric
  public var margin: ExperimentPlan.Guardrail.Margin
  public var variant: String
  public var state: State
  /// One-sided, of being worse by the margin or more; `nil` of a relative margin, which the lift's interval decides.
  public var p: Double?
  public var difference: Double?
  public var lift: Double?
}

/// What the experiment can find now, and how long until it can find what is wanted.
public struct SizeReadout: Sendable {
  public var metric: ExperimentMetric
  public var variant: String
  /// Absolute, in the metric's unit: found in 4 of 5 cases by one look at the present size.
  public var detectable: Double?
  /// The same under daily looks.
  public var detectableSequentially: Double?
  /// As a share of the control's value.
  public var detectableLift: Double?
  /// The lift that the sizes below are for.
  public var wantedLift: Double
  /// In the two variants together, under daily looks.
  public var usersNeeded: Double?
  /// Exposed persons a day, of the last 14 days, in the two variants.
  public var usersPerDay: Double
  /// Until the last needed person's outcome is known; `nil` when nobody arrives.
  public var daysNeeded: Double?
  public var reason: String?
}

/// Revenue as conversion × revenue per payer, so that a reader sees which part moved.
public struct RevenueSplit: Sendable {
  public var currency: String
  /// One per arm, control first.
  public var arms: [Arm]

  public struct Arm: Sendable {
    public var persons: Int
    public var payers: Int
    public var revenue: Double
    /// Payers ÷ persons.
    public var conversion: Double?
    /// Revenue ÷ payers.
    public var revenuePerPayer: Double?
    /// Revenue ÷ persons.
    public var revenuePerPerson: Double?
    /// Against the control; they add up on the logarithmic scale: (1 + a)(1 + b) − 1 is the lift of revenue a person.
    public var conversionLift: Double?
    public var revenuePerPayerLift: Double?
    public var revenueLift: Double?
  }
}
