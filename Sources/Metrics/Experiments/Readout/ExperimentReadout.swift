public import Statistics

/// Everything that is said of one experiment in one app (decisions.md).
public struct ExperimentReadout: Sendable {
  public var app: String
  public var experiment: String
  /// Milliseconds since 1970.
  public var asOf: Int64
  public var plan: ExperimentPlan
  /// Control first, the others in byte order.
  public var arms: [Arm]
  /// D1; ``ExperimentDecision/treatment`` is a place in ``treatments``.
  public var decision = ExperimentDecision(outcome: .none, reason: "nothing_to_compare", treatment: nil)
  /// `nil` with `ship` (D3.6).
  public var next: NextStep?
  public var schedule: TestSchedule
  public var health: ExperimentHealth
  /// Goal, money, long term, guardrails, secondary (D10.2); within a role the primary first, then the order of D10.1, then
  /// those of the plan's own.
  public var metrics: [MetricReadout]
  /// `nil` in an app that never sold anything.
  public var money: MoneyReadout?
  /// `nil` where no value is asked for.
  public var longTerm: LongTermReadout?
  /// `nil` with fewer than three variants.
  public var ranking: RankingReadout?
  /// One per dimension and treatment that the decision is about; empty where too few users are analysed.
  public var segments: [SegmentsReadout] = []
  /// Of the treatment that the decision is about; `nil` with fewer than three whole weeks.
  public var trend: TrendReadout?
  /// Of the same treatment; `nil` of a primary that happens once.
  public var within: WithinUserReadout?
  /// Of the same treatment, where the primary is `paid` and the course is asked for; else empty.
  public var byAge: [AgeDifference] = []
  /// SHA-256 of the app's events before the as-of, in hexadecimal (D9.2); `nil` unless asked for.
  public var dataHash: String?
  /// Worst first (D11.4).
  public var caveats: [Caveat] = []
  public var incidence: IncidenceReadout?
  /// One per currency that somebody paid in.
  public var revenue: [RevenueSplit]
  public var guardrails: [GuardrailReadout]
  public var sizes: [SizeReadout]
  /// The primary by day of data, oldest first; empty unless asked for.
  public var overTime: [OverTimePoint]
  /// The primary by `--by`; empty unless asked for.
  public var slices: [SliceReadout]
  /// The names of the dimensions that ``slices`` are split by.
  public var by: [String]

  public struct Arm: Sendable {
    public var variant: String
    /// As planned, of the whole: fractions of 1.
    public var share: Double
    /// Exposed persons, crossed ones left out.
    public var persons: Int
  }

  /// With more variants there are no chances of being the best, no bootstrap, and not every pair is listed.
  public static let mostCompared = 20

  /// The variants other than the control, in their order.
  public var treatments: [String] { arms.dropFirst().map(\.variant) }

  /// The metric that decides.
  public var primary: MetricReadout? { metrics.first(where: \.isPrimary) }
}

/// One metric of all arms, and of each treatment against the control.
public struct MetricReadout: Sendable {
  public var metric: ExperimentMetric
  public var isPrimary = false
  public var role = MetricRole.secondary
  /// Whom it is of where the outcome chose them, such as `trials` or `payers` (D5.7); `nil` of all exposed users.
  public var conditionalOn: String? { metric.conditionalOn }
  /// Why the metric is absent, such as `no_usage_events`; then it has no values (D13.1).
  public var absence: String?
  /// Comparisons that share one error rate with these; 1 for a metric outside the family.
  public var familySize = 1
  /// Of the intervals, in (0, 1): adjusted for the family.
  public var confidence: Double
  /// One per arm, in the order of ``ExperimentReadout/arms``.
  public var arms: [ArmResult]
  /// One per treatment.
  public var comparisons: [ArmComparison]
  /// What a cap cut off; `nil` of a metric without one.
  public var capped: Capped?

  public struct Capped: Sendable {
    /// In the metric's unit, a person: 99.9 % of all variants' persons are not above it.
    public var cap: Double
    public var persons: Int
    /// What was cut off of all of them.
    public var amount: Double
  }
}

extension MetricReadout {
  /// Leaves nothing but the reason why the metric is absent.
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

/// One arm's part of a metric.
public struct ArmResult: Sendable {
  /// Analysed persons (of `trial_to_paid`: trials).
  public var persons: Int
  /// Exposed persons whose horizon is not over.
  public var immature: Int
  /// Persons with the outcome.
  public var events: Int
  /// `nil` when not estimable.
  public var estimate: Double?
  public var interval: Interval?
  /// That no other arm is better.
  public var chanceBest: Double?
  /// By choosing this arm instead of the best one, in the metric's unit.
  public var expectedLoss: Double?
  /// Why there is no estimate.
  public var reason: String?

  init(persons: Int, immature: Int, events: Int) {
    self.persons = persons
    self.immature = immature
    self.events = events
  }
}

/// A treatment against the control.
public struct ArmComparison: Sendable {
  /// Treatment less control, in the metric's unit; `nil` when not estimable.
  public var difference: Double?
  public var standardError: Double?
  /// Of the t distribution that the difference over ``standardError`` has; `nil` for the normal one.
  public var degrees: Double?
  /// For one look at a size fixed beforehand.
  public var interval: Interval?
  /// Of one look.
  public var p: Double?
  /// What holds however often one looks.
  public var sequential: SequentialReading
  /// Better or worse than control by the rule that decides, in the metric's good direction (D1.3).
  public var standing = Standing.open
  /// Bounds of the difference for users whom either variant would have among those that the metric is of (D5.4, D5.6).
  public var composition: Interval?
  /// Difference of cancelled trials per exposed user (D5.5), of `trial_cancelled`.
  public var perExposedDifference: Double?
  /// Treatment ÷ control − 1.
  public var lift: Double?
  public var liftInterval: Interval?
  /// Why the lift has no finite interval.
  public var liftReason: String?
  public var chanceToBeat: Double?
  /// By choosing the treatment instead of the control, in the metric's unit.
  public var expectedLoss: Double?
  /// The bootstrap's interval of the difference, where the normal one cannot be trusted.
  public var bootstrap: Interval?
  /// Adjusted by what the persons did before; `nil` where nothing of it is looked up.
  public var covariate: CovariateReading?
  /// Over all times, of a time to an event that nothing else can end; `nil` elsewhere, and where it cannot be made.
  public var logRank: LogRankTest?
  /// What was computed, such as `miettinen_nurminen`.
  public var method: String
  /// The golden file that pins the method.
  public var golden: String
  /// Why something is not estimable.
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

  /// What the sequential interval is of: of a test that has stopped, the median-unbiased estimate there.
  public var decisionDifference: Double? { sequential.medianUnbiasedEstimate ?? difference }

  /// Whether the bound was neared or crossed by a difference of the other sign than it has now: an early proof of one
  /// direction proves nothing of the other.
  public var hasTurned: Bool {
    (sequential.decidingEstimate ?? 0) * (decisionDifference ?? lift ?? 0) < 0
  }

  /// Fieller's interval of the lift, or why it has none.
  mutating func setLiftInterval(_ treatment: MeanEstimate, _ control: MeanEstimate, critical: Double) {
    switch fiellerRatio(treatment, control, critical: critical) {
    case .bounded(let ratios): liftInterval = Interval(low: ratios.low - 1, high: ratios.high - 1)
    case .complement, .wholeLine: liftReason = "unbounded: the control cannot be told from 0"
    }
  }

  /// Adds the lift interval that the decision goes by: Fieller's at the critical value of the reading (D2.2).
  mutating func setDecisionLift(_ treatment: MeanEstimate, _ control: MeanEstimate) {
    guard let critical = sequential.criticalValue else { return }
    sequential.liftInterval = fiellerLift(treatment, control, critical: critical).interval
  }

  /// The p that the verdict goes by: sequential, adjusted for the family.
  public var decisionP: Double? { sequential.adjustedP ?? sequential.p }
}

/// The primary at the end of one day of data.
public struct OverTimePoint: Sendable {
  /// Milliseconds since 1970: only what was known before.
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

/// The primary among the persons of one value of the dimensions.
public struct SliceReadout: Sendable {
  /// One per dimension.
  public var values: [String]
  public var metric: MetricReadout
}
