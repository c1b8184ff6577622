internal import Basics
internal import EventModel
internal import Lifecycle
public import Store

/// The readouts of an experiment, one for each app that has it, with their parameters.
public struct ExperimentReport: Sendable {
  public var experiment: String
  /// The meaning of the numbers, one sentence each, with the rule numbers.
  public var definition: [String]
  /// Every option with its value, defaults included.
  public var parameters: [Report.Parameter]
  public var asOf: [Report.AppInstant]
  /// In byte order of the apps.
  public var readouts: [ExperimentReadout]

  /// The parameters of a plan that sets nothing, without those that describe the readout.
  public static let commonSettings = [
    "start": "first exposure", "end": "as-of", "planned_users": "none", "planned_days": "none", "looks": "daily",
    "family": "none", "guardrails": "none", "metrics": "none", "over_time": "no", "grace_days": "3",
  ]
}

/// The options of an experiment in addition to those of every report.
public struct ExperimentOptions: Sendable {
  public var experiment: String
  public var plan: ExperimentPlan
  /// The plans of a folder; in each app, the experiment's own counts instead of ``plan``.
  public var plans: [PlanFile] = []
  /// Whether the readout includes the primary by day of data.
  public var isOverTime: Bool
  /// Whether the readout includes a hash of its data, as a memo does.
  public var hasDataHash: Bool
  /// Choices fixed by the first frozen readout of the experiment (D4.6, D6.5).
  public var fixed: FixedAtFirstReadout?
  /// The most variants to read out; `nil` for any number.
  public var mostVariants: Int?

  public init(
    experiment: String, plan: ExperimentPlan = ExperimentPlan(), isOverTime: Bool = false, hasDataHash: Bool = false,
    fixed: FixedAtFirstReadout? = nil
  ) {
    self.fixed = fixed
    self.experiment = experiment
    self.plan = plan
    self.isOverTime = isOverTime
    self.hasDataHash = hasDataHash
  }
}

/// Choices that hold from the first frozen readout of an experiment, so that later data cannot change them.
public struct FixedAtFirstReadout: Codable, Sendable, Equatable {
  /// The most that a user's revenue counts in the capped metric (D6.5), in ``currency``.
  public var cap: Double?
  /// ISO 4217.
  public var currency: String?
  /// When the plan was first frozen, as RFC 3339 (D4.6).
  public var plannedOn: String?

  public init(cap: Double? = nil, currency: String? = nil, plannedOn: String? = nil) {
    (self.cap, self.currency, self.plannedOn) = (cap, currency, plannedOn)
  }
}

/// Reads out experiments (definitions 8).
public enum Experiments {
  /// - Throws: ``ExperimentError`` for names that the store or the experiment does not have, ``ReportError``.
  public static func report(
    _ snapshot: StoreSnapshot, _ options: ReportOptions, _ wanted: ExperimentOptions
  ) throws -> ExperimentReport {
    let (query, wanted, readouts) = try read(snapshot, options, wanted) { try $0.readout() }
    return report(query, wanted, readouts)
  }

  /// Reads one experiment in each app that has it.
  ///
  /// - Returns: The query, the options with their defaults, and the results of `body` by app.
  /// - Throws: ``ExperimentError`` for names that the store or the experiment does not have, ``ReportError``.
  static func read<Result>(
    _ snapshot: StoreSnapshot, _ options: ReportOptions, _ wanted: ExperimentOptions,
    _ body: (ReadoutBuilder) throws -> Result
  ) throws -> (query: ReportQuery, wanted: ExperimentOptions, results: [Result]) {
    var (options, wanted) = (options, wanted)
    if wanted.plan.plannedOn == nil {
      wanted.plan.plannedOn = (wanted.fixed?.plannedOn).flatMap { Instant(rfc3339: $0)?.millisecondsSince1970 }
    }
    if let app = wanted.plan.app, options.apps.isEmpty {
      let known = try snapshot.apps().map(\.name)
      guard known.contains(app) else { throw ExperimentError.unknownApp(app, known: known) }
      options.apps = [app]
    }
    try check(options)
    let query = try ReportQuery(snapshot, options, defaultBy: [])
    var results: [Result] = []
    var plans: [ExperimentPlan] = []
    if let experiment = query.facts.number(ofName: wanted.experiment) {
      for app in query.apps {
        var own = wanted
        let file = wanted.plans.plan(of: wanted.experiment, app: app.name)
        if let file { own.plan = file.plan }
        do {
          guard let builder = try ReadoutBuilder(query, app: app, experiment: NameID(experiment), own) else { continue }
          results.append(try body(builder))
          plans.append(own.plan)
        } catch let error as ExperimentError {
          guard let file, error.isOfPlan else { throw error }
          throw ConfigurationError(file: file.file, line: nil, key: "", problem: error.description)
        }
      }
    }
    if results.isEmpty { throw try nobody(snapshot, options, wanted) }
    if let plan = plans.first, plans.allSatisfy({ $0 == plan }) { wanted.plan = plan }
    return (query, wanted, results)
  }

  /// Returns the error if no user is exposed: the store has no such experiment, or the options exclude every user.
  private static func nobody(
    _ snapshot: StoreSnapshot, _ options: ReportOptions, _ wanted: ExperimentOptions
  ) throws -> ExperimentError {
    let query = try ReportQuery(snapshot, ReportOptions(), defaultBy: [])
    let all = try ExperimentList.exposures(query)
    let seen = all.filter { $0.experiment == wanted.experiment }
    if seen.isEmpty {
      return .unknownExperiment(wanted.experiment, known: Set(all.map(\.experiment)).sorted(by: precedesInBytes))
    }
    var asked = options.apps.map { "app \($0)" }
    if let asOf = options.asOf { asked.append("--as-of \(ReportQuery.instant(asOf))") }
    if let start = wanted.plan.start { asked.append("start \(ReportQuery.instant(start))") }
    if let end = wanted.plan.end { asked.append("end \(ReportQuery.instant(end))") }
    if let from = options.from { asked.append("--from \(from)") }
    if let to = options.to { asked.append("--to \(to)") }
    asked += options.filters.map { "--where \($0)" } + options.cohorts.map { "--where \($0)" }
    var views = ReportRequest(.funnel)
    (views.options.apps, views.options.filters) = (options.apps, options.filters)
    return .nobodyExposed(
      wanted.experiment, asked: asked,
      seen: seen.map { seen in
        "\(seen.app) from \(ReportQuery.instant(seen.range.lowerBound)) to "
          + ReportQuery.instant(seen.range.upperBound)
      },
      values: try views.counted(snapshot)?.rows.isEmpty == true ? views.emptyNote(snapshot) : nil)
  }

  static func isKnownBefore(_ dimension: Dimension) -> Bool { dimension.isOfClient || dimension.isPeriod }

  /// Checks that the dimensions are known at the exposure and do not depend on the variant.
  private static func check(_ options: ReportOptions) throws(ExperimentError) {
    if let wrong = (options.by ?? []).first(where: { !isKnownBefore($0) }) {
      throw .unsupportedDimension(option: "--by", wrong.name)
    }
    if let wrong = options.filters.first(where: { !isKnownBefore($0.dimension) }) {
      throw .unsupportedDimension(option: "--where", wrong.dimension.name)
    }
  }

  private static func report(
    _ query: ReportQuery, _ wanted: ExperimentOptions, _ readouts: [ExperimentReadout]
  ) -> ExperimentReport {
    let names = Set(readouts.map(\.app))
    let base = base(
      query, wanted, control: readouts.first?.arms.first?.variant,
      primary: Set(readouts.compactMap { $0.primary?.metric.name }).sorted())
    return ExperimentReport(
      experiment: wanted.experiment, definition: base.definition, parameters: base.parameters,
      asOf: base.asOf.filter { names.contains($0.app) }, readouts: readouts)
  }

  /// Returns the definitions, parameters and as-ofs of an experiment.
  static func base(
    _ query: ReportQuery, _ wanted: ExperimentOptions, control: String?, primary: [String]
  ) -> Report {
    let plan = wanted.plan
    func list(_ values: [String]) -> String { values.isEmpty ? "none" : values.joined(separator: ",") }
    let own = [
      Report.Parameter(name: "control", value: control ?? "none"),
      Report.Parameter(
        name: "shares",
        value: plan.shares.map { shares in
          shares.map { "\($0.variant)=\(Self.number($0.weight))" }.joined(separator: ",")
        } ?? "even"),
      Report.Parameter(name: "start", value: plan.start.map(ReportQuery.instant) ?? "first exposure"),
      Report.Parameter(name: "end", value: plan.end.map(ReportQuery.instant) ?? "as-of"),
      Report.Parameter(name: "primary", value: list(primary)),
      Report.Parameter(name: "planned_users", value: plan.plannedUsers.map(Self.number) ?? "none"),
      Report.Parameter(name: "planned_days", value: plan.plannedDays.map(Self.number) ?? "none"),
      Report.Parameter(name: "looks", value: plan.looks.rawValue),
      Report.Parameter(name: "level", value: Self.number(plan.level)),
      Report.Parameter(name: "minimum_lift", value: Self.number(plan.minimumLift)),
      Report.Parameter(name: "family", value: list(plan.family)),
      Report.Parameter(name: "guardrails", value: list(plan.guardrails.map(\.metric))),
      Report.Parameter(name: "metrics", value: list(plan.metrics.map(\.name))),
      Report.Parameter(name: "over_time", value: wanted.isOverTime ? "yes" : "no"),
    ]
    var base = query.report(
      "experiment", title: "Experiment", definition: definition, own: own,
      // Own metrics come from events, and so do outcomes of exposures other than the first of all.
      readsEvents: !plan.metrics.isEmpty || plan.start != nil || plan.end != nil, columns: [], rows: [])
    base.parameters.removeAll { $0.name == "attribution" }
    return base
  }

  /// Returns a number as short as exact.
  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
  }

  static let definition = [
    "Users count from their first exposure or paywall view that carries the experiment. Users who saw two variants "
      + "are left out (8.1). Each metric covers users whose horizon is over, and outcomes within it (8.2)",
    "trial_start: an introductory trial within 7 d. paid: a purchase within 14 d. trial_to_paid: share of first "
      + "trials within 7 d that convert by trial length + grace (Aalen–Johansen)",
    "revenue: net per user within 30 d (D6.4). revenue_per_payer: the same per user who paid in the 30 d. refunded: "
      + "a payment refunded in full within 30 d",
    "trial_cancelled: share of first introductory trials that were cancelled in the trial (D5.3). retained: an "
      + "activity event from day 7 up to day 14 (D5.1)",
    "Always-valid intervals hold however often you look, and decide (D1, D2, D4). They are an asymptotic confidence "
      + "sequence, or Lan–DeMets bounds for the primary metric of a plan. Intervals of one look decide only if the "
      + "plan says looks: once",
    "Chances to be best (flat priors) and expected loss hold for one look only and decide nothing",
    "sample ratio: a sequential Bayes factor compares users with the planned shares. After an alarm at p < 0.001 "
      + "there is no verdict (D1.2)",
  ]
}
