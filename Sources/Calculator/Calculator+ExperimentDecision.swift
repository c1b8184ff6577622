internal import Statistics

extension Calculator {
  /// The methods for decisions (Methods.md, "Decisions").
  static let experimentMethods: [String: Method] = [
    "experiment_decision": { fields in try DecisionRequest(fields).result },
    "trial_conditional": { fields in
      func arm(_ name: String) throws -> TrialConditional.Arm {
        let arm = try fields.fields(name)
        let trials = try arm.proportion("trials", "n")
        let cancelled = try arm.proportion("cancelled", "trials")
        return TrialConditional.Arm(users: trials.trials, trials: cancelled.trials, cancelled: cancelled.successes)
      }
      let found = TrialConditional(treatment: try arm("treatment"), control: try arm("control"))
      return [
        "rate_control": found.controlRate, "rate_treatment": found.treatmentRate, "difference": found.difference,
        "se": found.standardError, "per_exposed_difference": found.perExposedDifference,
      ].with(bounds(found.composition, "composition_low", "composition_high"))
    },
    "annual_impact": { fields in
      let (difference, error) = (try fields.number("difference"), try fields.notNegative("se"))
      let critical = try fields.positive("critical")
      let arrivals = Arrivals(daily: try fields.counts("persons_by_day"))
      let impact = arrivals.flatMap {
        AnnualImpact(difference: difference, standardError: error, critical: critical, arrivals: $0)
      }
      var result: Values = ["value": impact?.value, "persons_a_day": arrivals?.usersADay]
      if impact == nil { result["reason"] = "not estimable: fewer than 14 full days" }
      return result.with(bounds(impact?.interval, "low", "high"))
    },
    "interaction": { fields in
      let segments = try fields.objects("segments")
      guard (2...10_000).contains(segments.count) else {
        throw CalculatorError.invalid("input.segments must have 2 to 10,000 segments")
      }
      let lifts = try segments.map { segment -> LogLift in
        let (treatment, control) = (try segment.arm("x1", "n1"), try segment.arm("x0", "n0"))
        guard let lift = LogLift(treatment, control) else {
          throw CalculatorError.unanswerable("\(segment.place): every user has the outcome, so nothing varies")
        }
        return lift
      }
      let found = SegmentInteraction(lifts)
      return [
        "q": found?.q, "df": found?.degrees, "p": found?.p, "overall_log_lift": found?.overall,
        "spread_high": found?.spreadHigh,
      ]
    },
    "cohort_trend": { fields in
      let weeks = try fields.objects("weeks").enumerated().map { place, week in
        CohortTrend.Week(
          time: try week.number("week", default: Double(place)), try week.arm("x1", "n1"), try week.arm("x0", "n0"))
      }
      guard (3...10_000).contains(weeks.count) else {
        throw CalculatorError.invalid("input.weeks must have 3 to 10,000 weeks")
      }
      return values(
        CohortTrend(weeks.compactMap(\.self)), else: "fewer than three weeks in which anything varies",
        ["slope": \.slope, "se": \.standardError, "p": \.p])
    },
    "chance_best": { fields in
      let arms = try fields.objects("arms").map { try $0.proportion("x", "n") }
      return ["chance_best": try Self.decision(try Fields.flatPosteriors(arms)).bestProbabilities]
    },
  ]
}

/// A request of `experiment_decision`: the rules of Decisions.md, D1, except guardrails, plan, long term and early
/// conversion.
private struct DecisionRequest {
  private struct Arm {
    var name: String
    /// `nil` without users.
    var estimate: MeanArm?
    /// The variance between users.
    var variance: Double
    var users: Double
    /// Users with a known outcome; `nil` if their number is not known.
    var outcomes: Double?
    var share: Double?
    var isShare: Bool
    /// Whether there are enough users, with and without the outcome, for an interval (D2.3).
    var isReady: Bool
  }

  private let control: Arm
  private let treatments: [Arm]
  private let sequence: AsymptoticSequence
  private let minimumLift: Double
  private let marginLift: Double
  private let isLessBetter: Bool
  private let money: [String: (difference: Double, standardError: Double, users: Double)]
  private let isSampleRatioFailed: Bool
  private let usersADay: Double?
  private let horizonDays: Double
  private let patienceDays: Double
  private let isEnded: Bool

  init(_ fields: Fields) throws {
    let fields = fields.given
    let control = try Self.arm(try fields.fields("control").given, name: "control")
    let objects = try fields.objects("treatments").map(\.given)
    guard objects.count <= 100 else { throw CalculatorError.invalid("input.treatments must be at most 100") }
    let treatments = try objects.map { object in try Self.arm(object, name: try object.text("name")) }
    let names = treatments.map(\.name)
    guard Set(names).count == names.count, !names.contains("control") else {
      throw CalculatorError.invalid("input.treatments must have names of their own, none of them \"control\"")
    }
    let arms = [control] + treatments
    guard arms.allSatisfy({ $0.isShare == control.isShare }) else {
      throw CalculatorError.invalid("input: arms must all have x, or all have mean and variance")
    }
    guard arms.allSatisfy({ ($0.share == nil) == (control.share == nil) }) else {
      throw CalculatorError.invalid("input: arms must all have a share, or none")
    }
    (self.control, self.treatments) = (control, treatments)
    sequence = AsymptoticSequence(
      plannedUnits: try fields.positive("n_star", default: 5_000), alpha: try fields.alpha())
    minimumLift = try fields.lift("minimum_lift", default: 0.1)
    marginLift = try fields.lift("margin_lift", default: minimumLift)
    isLessBetter = try fields.text("direction", among: ["up", "down"], default: "up") == "down"
    money = try fields.money(of: names)
    isSampleRatioFailed = try fields.sampleRatioFailed()
    usersADay = fields.isGiven("persons_a_day") ? try fields.notNegative("persons_a_day") : nil
    horizonDays = try fields.isGiven("horizon_days") ? fields.notNegative("horizon_days") : 14
    patienceDays = try fields.isGiven("patience_days") ? fields.notNegative("patience_days") : 56
    isEnded = try fields.flag("ended")
  }

  private static func arm(_ fields: Fields, name: String) throws -> Arm {
    let share = fields.isGiven("share") ? try fields.positive("share") : nil
    if fields.isGiven("x") {
      let sample = try fields.proportion("x", "n")
      let rate = sample.estimate ?? 0
      let variance = sample.trials > 0 ? rate * (sample.failures / sample.trials) : 0
      return Arm(
        name: name,
        estimate: sample.estimate.map { MeanArm(mean: $0, variance: variance / sample.trials, count: sample.trials) },
        variance: variance, users: sample.trials, outcomes: sample.successes, share: share, isShare: true,
        isReady: AsymptoticSequence.isReady(users: sample.trials, with: sample.successes, without: sample.failures))
    }
    guard fields.isGiven("mean") else {
      throw CalculatorError.invalid("\(fields.place) must have x, or mean and variance")
    }
    let (mean, variance, users) = (try fields.number("mean"), try fields.notNegative("variance"), try fields.count("n"))
    let payers = fields.isGiven("payers") ? try fields.proportion("payers", "n").successes : nil
    return Arm(
      name: name, estimate: users > 0 ? MeanArm(mean: mean, variance: variance / users, count: users) : nil,
      variance: variance, users: users, outcomes: payers ?? (mean == 0 ? 0 : nil), share: share, isShare: false,
      isReady: AsymptoticSequence.isReady(users: users, with: payers ?? .infinity, without: nil))
  }

  /// The level of each treatment's interval, α/(k − 1) (D2.4): `simultaneousConfidence` for a given α, without the
  /// rounding of 1 − (1 − α).
  private var level: Double { sequence.alpha / Double(max(1, treatments.count)) }

  private var isWithheld: [Bool] {
    treatments.map { treatment in
      // If neither arm varies, the interval has no width and says nothing.
      !treatment.isReady || !control.isReady || treatment.variance + control.variance == 0
    }
  }

  private var looks: [AsymptoticLook?] {
    zip(treatments, isWithheld).map { treatment, isWithheld in
      guard !isWithheld, let own = treatment.estimate, let other = control.estimate else { return nil }
      return sequence.look(
        estimate: own.mean - other.mean, standardError: (own.variance + other.variance).squareRoot(),
        units: own.count + other.count, alpha: level)
    }
  }

  private func watch(_ name: String) -> ExperimentDecision.Money {
    guard let money = money[name], money.standardError > 0 else { return .notEstimable }
    let half = sequence.criticalValue(units: money.users, alpha: level) * money.standardError
    return ExperimentDecision.Money(
      difference: money.difference,
      interval: Interval(around: money.difference, half: half))
  }

  /// The plan over all arms; with several treatments, for the one with the smallest share.
  private var plan: LiftPlan? {
    guard control.users > 0, let mean = control.estimate?.mean, !treatments.isEmpty else { return nil }
    let arms = [control] + treatments
    let total = control.share == nil ? Double(arms.count) : arms.reduce(0) { $0 + ($1.share ?? 0) }
    let least = treatments.map { $0.share ?? 1 }.min() ?? 1
    let variance = arms.reduce(0) { max($0, $1.variance) }
    return LiftPlan(
      control: control.isShare ? .share(mean) : .mean(mean, variance: variance),
      controlShare: (control.share ?? 1) / total, treatmentShare: least / total,
      bound: .sequence(sequence, alpha: level))
  }

  var result: Values {
    let looks = looks
    let p = Adjustment.holm.adjusted(looks.map { $0?.p })
    let lifts = zip(treatments, looks).map { treatment, look -> Interval? in
      guard let look, let own = treatment.estimate, let other = control.estimate else { return nil }
      return fiellerLift(own.estimate, other.estimate, critical: look.criticalValue).interval
    }
    let differences = treatments.map { treatment -> Double? in
      guard let own = treatment.estimate, let other = control.estimate else { return nil }
      return own.mean - other.mean
    }
    let judged = treatments.indices.map { place in
      var treatment = ExperimentDecision.Treatment(gain: differences[place].map { isLessBetter ? -$0 : $0 })
      let isShown = p[place].map { $0 < sequence.alpha } ?? false
      treatment.isBetter = isShown && (treatment.gain ?? 0) > 0
      treatment.isWorse = isShown && (treatment.gain ?? 0) < 0
      treatment.isSame = isSame(lifts[place], margin: marginLift)
      treatment.isWithheld = looks[place] == nil
      treatment.money = watch(treatments[place].name)
      return treatment
    }
    let decision = ExperimentDecision(judged, unreadable: isSampleRatioFailed ? "sample_ratio" : nil)
    let (needed, neededForSameness) = (
      plan?.usersNeeded(lift: minimumLift), plan?.usersNeededForSameness(margin: marginLift)
    )
    var result: Values = [
      "decision": decision.outcome.rawValue, "reason": decision.reason,
      "variant": decision.treatment.map { treatments[$0].name }, "persons_needed": needed,
      "persons_needed_equivalence": neededForSameness,
      "arms": treatments.indices.map { place -> Values in
        bounds(looks[place]?.interval, "difference_low", "difference_high")
          .with(bounds(lifts[place], "lift_low", "lift_high"))
          .with(["variant": treatments[place].name, "difference": differences[place], "p": p[place]])
      },
    ]
    let remaining = RemainingTest(
      users: treatments.reduce(control.users) { $0 + $1.users }, needed: needed, neededForSameness: neededForSameness,
      usersADay: usersADay ?? 0, horizonDays: horizonDays, patienceDays: patienceDays, isEnded: isEnded,
      hasControlOutcome: control.outcomes != 0)
    if decision.outcome != .undecided || usersADay != nil {
      if let next = remaining.next(after: decision) { result["next"] = next.rawValue }
    }
    if decision.outcome == .undecided, let days = remaining.daysMore { result["days_more"] = days }
    return result
  }
}

extension Fields {
  /// The fields that are not null: an optional field may be missing or null.
  var given: Fields { Fields(values: values.filter { $0.value != .null }, place: place) }

  func isGiven(_ name: String) -> Bool { values[name] != nil }

  func text(_ name: String) throws -> String {
    guard case .string(let text)? = values[name], !text.isEmpty else { throw invalid(name, "a name") }
    return text
  }

  func text(_ name: String, among known: [String], default standard: String) throws -> String {
    guard isGiven(name) else { return standard }
    guard case .string(let text)? = values[name], known.contains(text) else {
      throw invalid(name, known.map { "\"\($0)\"" }.joined(separator: " or "))
    }
    return text
  }

  /// Returns a flag; `false` if it is not given.
  func flag(_ name: String) throws -> Bool {
    guard isGiven(name) else { return false }
    guard case .bool(let value)? = values[name] else { throw invalid(name, "true or false") }
    return value
  }

  /// Returns the smallest lift that matters, as a share of control's mean.
  func lift(_ name: String, default standard: Double) throws -> Double {
    guard isGiven(name) else { return standard }
    let value = try number(name)
    guard value >= 1e-6, value <= 1e6 else { throw invalid(name, "a number above 0, from 1e-6 to 1e6") }
    return value
  }

  /// Returns the counts of an arm that has at least one user.
  func arm(_ successes: String, _ trials: String) throws -> Proportion {
    _ = try count(trials, atLeast: 1)
    return try proportion(successes, trials)
  }

  /// Reads `sample_ratio`: true or "failed", or the p value of its test (Methods.md 2.8).
  func sampleRatioFailed() throws -> Bool {
    guard isGiven("sample_ratio") else { return false }
    switch values["sample_ratio"] {
    case .bool(let isFailed)?: return isFailed
    case .string("failed")?: return true
    case .string("ok")?: return false
    case .number(let p)? where p >= 0 && p <= 1: return p < SequentialSampleRatio.alpha
    default: throw invalid("sample_ratio", "true where it failed or false, \"failed\" or \"ok\", or its p")
    }
  }

  /// Reads `money`, by treatment.
  func money(
    of names: [String]
  ) throws -> [String: (difference: Double, standardError: Double, users: Double)] {
    guard isGiven("money") else { return [:] }
    let all = try fields("money")
    return try Dictionary(
      uniqueKeysWithValues: all.values.keys.sorted().map { name in
        guard names.contains(name) else {
          throw CalculatorError.invalid("\(all.place) has \"\(name)\", which is not a treatment")
        }
        let one = try all.fields(name)
        return (name, (try one.number("difference"), try one.notNegative("se"), try one.count("n", atLeast: 1)))
      })
  }

  static func flatPosteriors(_ arms: [Proportion]) throws -> [BetaDistribution] {
    guard (2...100).contains(arms.count) else {
      throw CalculatorError.invalid("input.arms must have 2 to 100 arms")
    }
    guard arms.allSatisfy({ $0.trials <= 1e9 }) else {
      throw CalculatorError.unanswerable("an arm has more than 1e9 users")
    }
    return arms.map { BetaDistribution(a: 1 + $0.successes, b: 1 + $0.failures) }
  }
}
