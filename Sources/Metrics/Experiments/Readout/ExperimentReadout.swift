public import Statistics

/// The complete readout of one experiment in one app (Decisions.md).
public struct ExperimentReadout: Sendable {
  public var app: String
  public var experiment: String
  /// Milliseconds since 1970.
  public var asOf: Int64
  public var plan: ExperimentPlan
  /// Control first, the others in byte order.
  public var arms: [Arm]
  /// All variants of the app by first exposure, for the colours of pages.
  public var variantOrder: [String] = []
  /// The decision (D1); ``ExperimentDecision/treatment`` is a place in ``treatments``.
  public var decision = ExperimentDecision(outcome: .none, reason: "nothing_to_compare", treatment: nil)
  /// The next step; `nil` with `ship` (D3.6).
  public var next: NextStep?
  public var schedule: TestSchedule
  public var health: ExperimentHealth
  /// The metrics by role: goal, money, long term, guardrails, secondary (D10.1). Within a role the primary comes first,
  /// then the order of Experiments.md, "Metrics", then the plan's own.
  public var metrics: [MetricReadout]
  /// The money; `nil` in an app that never sold anything.
  public var money: MoneyReadout?
  /// The long-term value; `nil` if it is not requested.
  public var longTerm: LongTermReadout?
  /// The ranking; `nil` with fewer than three variants.
  public var ranking: RankingReadout?
  /// One per dimension and treatment of the decision; empty if too few users are analysed.
  public var segments: [SegmentsReadout] = []
  /// The trend of the decision's treatment; `nil` with fewer than three whole weeks.
  public var trend: TrendReadout?
  /// The trend within users of this treatment; `nil` for a primary that happens once.
  public var within: WithinUserReadout?
  /// The differences by age of this treatment, if the primary is `paid` and the effect over time is requested; else
  /// empty.
  public var byAge: [AgeDifference] = []
  /// SHA-256 of the app's events before the as-of, in hexadecimal; `nil` unless requested.
  public var dataHash: String?
  /// The caveats, worst first.
  public var caveats: [Caveat] = []
  public var incidence: IncidenceReadout?
  /// One per currency with a payment.
  public var revenue: [RevenueSplit]
  public var guardrails: [GuardrailReadout]
  public var sizes: [SizeReadout]
  /// The primary by day of data, oldest first; empty unless requested.
  public var overTime: [OverTimePoint]
  /// The primary by `--by`; empty unless requested.
  public var slices: [SliceReadout]
  /// The names of the dimensions that split ``slices``.
  public var by: [String]

  public struct Arm: Sendable {
    public var variant: String
    /// The planned share, as a fraction of 1.
    public var share: Double
    /// Exposed users, without crossed users.
    public var persons: Int
  }

  /// The most variants with probabilities of being best, bootstrap and all pairs; beyond it these are omitted. Lists
  /// and pages, which have to answer soon, do not read out experiments with more.
  public static let mostCompared = 20

  /// The variants other than control, in their order.
  public var treatments: [String] { arms.dropFirst().map(\.variant) }

  public var primary: MetricReadout? { metrics.first(where: \.isPrimary) }

  /// Revenue per exposed user, capped if the plan caps (D6.5); `nil` in an app that never sold anything.
  public var decidingRevenue: MetricReadout? { metrics.decidingRevenue(plan) }
}

/// One metric of all arms, and of each treatment against control.
public struct MetricReadout: Sendable {
  public var metric: ExperimentMetric
  public var isPrimary = false
  public var role = MetricRole.secondary
  /// The users of the metric if the outcome selects them, such as `trials` or `payers`; `nil` for all exposed
  /// users.
  public var conditionalOn: String? { metric.conditionalOn }
  /// The reason why the metric is absent, such as `no_usage_events`; then it has no values.
  public var absence: String?
  /// The number of comparisons that share one error rate with these; 1 for a metric outside the family.
  public var familySize = 1
  /// The level of the intervals, in (0, 1), adjusted for the family.
  public var confidence: Double
  /// One per arm, in the order of ``ExperimentReadout/arms``.
  public var arms: [ArmResult]
  /// One per treatment.
  public var comparisons: [ArmComparison]
  /// The effect of the cap; `nil` for a metric without one.
  public var capped: Capped?

  public struct Capped: Sendable {
    /// The cap in the metric's unit per user; 99.9% of all variants' users are at or below it.
    public var cap: Double
    public var persons: Int
    /// The total amount cut off.
    public var amount: Double
  }
}

extension MetricReadout {
  /// Removes everything except the reason for the metric's absence.
  mutating func remove(reason: String) {
    absence = reason
    arms = arms.map { _ in
      var arm = ArmResult(persons: 0, immature: 0, events: 0)
      arm.reason = reason
      return arm
    }
    comparisons = comparisons.map { ArmComparison(method: $0.method, golden: $0.golden, reason: reason) }
  }
}

/// One arm's results for a metric.
public struct ArmResult: Sendable {
  /// Analysed users; for `trial_to_paid`, trials.
  public var persons: Int
  /// Exposed users whose horizon is not over.
  public var immature: Int
  /// Users with the outcome.
  public var events: Int
  /// The estimate; `nil` if not estimable.
  public var estimate: Double?
  public var interval: Interval?
  /// The probability that no other arm is better.
  public var chanceBest: Double?
  /// The expected loss from choosing this arm instead of the best one, in the metric's unit.
  public var expectedLoss: Double?
  /// The reason why there is no estimate.
  public var reason: String?
}

/// A treatment compared with control.
public struct ArmComparison: Sendable {
  /// Treatment less control, in the metric's unit; `nil` if not estimable.
  public var difference: Double?
  public var standardError: Double?
  /// Degrees of freedom of the t distribution of the difference over ``standardError``; `nil` for the normal one.
  public var degrees: Double?
  /// The interval for one look at a size fixed in advance.
  public var interval: Interval?
  /// p for one look.
  public var p: Double?
  /// The reading that holds however often you look.
  public var sequential: SequentialReading
  /// The standing against control by the deciding rule, in the metric's good direction (D1.3).
  public var standing = Standing.open
  /// Bounds of the difference for users that either variant would include in the metric's group (D5.4, D5.6).
  public var composition: Interval?
  /// For `trial_cancelled`, the difference of cancelled trials per exposed user (D5.5).
  public var perExposedDifference: Double?
  /// Treatment ÷ control − 1.
  public var lift: Double?
  public var liftInterval: Interval?
  /// The reason why the lift has no finite interval.
  public var liftReason: String?
  public var chanceToBeat: Double?
  /// The expected loss from choosing the treatment instead of control, in the metric's unit.
  public var expectedLoss: Double?
  /// The bootstrap interval of the difference, if the normal one is doubtful.
  public var bootstrap: Interval?
  /// The difference adjusted by the users' history; `nil` if no history is looked up.
  public var covariate: CovariateReading?
  /// The log-rank test over all times, for a time to an event that no other outcome can end; `nil` otherwise, and if it
  /// cannot be computed.
  public var logRank: LogRankTest?
  /// The method, such as `miettinen_nurminen`.
  public var method: String
  /// The golden file that pins the method's results.
  public var golden: String
  /// The reason why a value is not estimable.
  public var reason: String?

  init(method: String, golden: String, reason: String? = nil) {
    self.method = method
    self.golden = golden
    self.reason = reason
    sequential = SequentialReading(method: .none)
    sequential.reason = reason
  }

  public enum Standing: String, Sendable {
    case better
    case worse
    /// Within the margin (D2.5).
    case same
    case open
    /// Too few users or outcomes for an interval (D2.3).
    case withheld
  }

  /// The difference of the sequential interval; for a stopped test, the median-unbiased estimate at the stop.
  public var decisionDifference: Double? { sequential.medianUnbiasedEstimate ?? difference }

  /// Whether the difference had the opposite sign when it approached or crossed the bound: early evidence of one
  /// direction proves nothing about the other.
  public var hasTurned: Bool {
    (sequential.decidingEstimate ?? 0) * (decisionDifference ?? lift ?? 0) < 0
  }

  /// Sets Fieller's interval of the lift, or the reason why it has none.
  mutating func setLiftInterval(_ treatment: MeanEstimate, _ control: MeanEstimate, critical: Double) {
    switch fiellerRatio(treatment, control, critical: critical) {
    case .bounded(let ratios): liftInterval = Interval(low: ratios.low - 1, high: ratios.high - 1)
    case .complement, .wholeLine: liftReason = "unbounded: the control cannot be distinguished from 0"
    }
  }

  /// Adds the lift interval that decides: that of `fiellerLift` at the reading's critical value.
  mutating func setDecisionLift(_ treatment: MeanEstimate, _ control: MeanEstimate) {
    guard let critical = sequential.criticalValue else { return }
    sequential.liftInterval = fiellerLift(treatment, control, critical: critical).interval
  }

  /// The p that decides the verdict: sequential, adjusted for the family.
  public var decisionP: Double? { sequential.adjustedP ?? sequential.p }
}

/// The primary at the end of one day of data.
public struct OverTimePoint: Sendable {
  /// Milliseconds since 1970; only data known before it counts.
  public var instant: Int64
  /// One per treatment.
  public var comparisons: [Comparison]

  public struct Comparison: Sendable {
    public var variant: String
    public var controlPersons: Int
    public var treatmentPersons: Int
    public var difference: Double
    public var sequential: SequentialReading
  }
}

/// The primary among the users with given values of the dimensions.
public struct SliceReadout: Sendable {
  /// One per dimension.
  public var values: [String]
  public var metric: MetricReadout
}
