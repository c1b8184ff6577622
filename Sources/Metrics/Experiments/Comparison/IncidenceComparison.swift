internal import Lifecycle
public import Statistics

/// The readout of an incidence over all times, in addition to its value at the horizon.
public struct IncidenceReadout: Sendable {
  public var metric: String
  /// Milliseconds.
  public var horizon: Int64
  /// Gray's test over all times and variants; `nil` if it cannot be computed.
  public var gray: GrayTest?
  public var arms: [Arm]

  public struct Arm: Sendable {
    public var started: Int
    public var converted: Int
    public var lapsed: Int
    public var pending: Int
  }
}

/// Compares cumulative incidence at a horizon: Aalen–Johansen with complementary log–log intervals.
enum IncidenceComparison {
  /// - Parameters:
  ///   - arms: Control first.
  ///   - lookDays: Days before the as-of at which looks are taken, the oldest first; 0 is now.
  static func readout(
    _ metric: ExperimentMetric, arms: [[IncidenceRecord]], asOf: Int64, lookDays: [Int], _ rules: ComparisonRules
  ) -> MetricReadout {
    let histories = arms.map { IncidenceHistory($0) }
    let now = histories.map { Estimate($0, asOf: asOf, horizon: metric.horizon) }
    var results = zip(arms, now).map { records, estimate in
      let counts = Counts(records)
      var result = ArmResult(
        persons: records.count,
        // A trial is open until its own deadline. A time to another event is known at the horizon, with or without the
        // event.
        immature: metric == .trialToPaid(horizon: metric.horizon)
          ? counts.pending : records.count { $0.time == nil && $0.start + metric.horizon > asOf },
        events: counts.events)
      result.estimate = estimate?.arm.mean
      result.interval = estimate?.interval(z: rules.z)
      if estimate == nil { result.reason = "nothing began, or all of it is too recent to count" }
      return result
    }
    var comparisons = arms.indices.dropFirst().map { arm in
      let past = lookDays.compactMap { day -> DifferenceLook? in
        if day == 0 { return look(now[arm], now[0], daysBefore: 0) }
        return look(histories[arm], histories[0], asOf: asOf, daysBefore: day, horizon: metric.horizon)
      }
      var comparison = compare(now[arm], now[0], looks: past, rules, arm: arm)
      if rules.hasPosteriors { comparison.logRank = logRank(arms[arm], arms[0], asOf: asOf) }
      return comparison
    }
    if rules.hasPosteriors { metric.addNormalPosteriors(now.map { $0?.arm }, to: &results, &comparisons) }
    return MetricReadout(metric, rules, arms: results, comparisons: comparisons)
  }

  /// - Returns: `nil` if another outcome, such as a trial's lapse, can end the observation; Gray's test covers that
  ///   case.
  private static func logRank(_ treatment: [IncidenceRecord], _ control: [IncidenceRecord], asOf: Int64) -> LogRankTest?
  {
    for arm in [treatment, control]
    where arm.contains(where: { $0.time != nil && $0.cause == IncidenceRecord.competing }) { return nil }
    return logRankTest(
      control.survivalRecords(asOf: asOf, group: 0) + treatment.survivalRecords(asOf: asOf, group: 1))
  }

  static func over(_ metric: ExperimentMetric, arms: [[IncidenceRecord]], asOf: Int64) -> IncidenceReadout {
    let subjects = arms.enumerated().flatMap { $1.survivalRecords(asOf: asOf, group: $0) }
    return IncidenceReadout(
      metric: metric.name, horizon: metric.horizon, gray: grayTest(subjects, cause: 1),
      arms: arms.map { arm in
        let counts = Counts(arm)
        return IncidenceReadout.Arm(
          started: arm.count, converted: counts.events, lapsed: arm.count - counts.events - counts.pending,
          pending: counts.pending)
      })
  }

  private struct Counts {
    private(set) var events = 0
    private(set) var pending = 0

    init(_ records: [IncidenceRecord]) {
      for record in records {
        if record.time == nil { pending += 1 } else if record.cause == IncidenceRecord.event { events += 1 }
      }
    }
  }

  /// One arm's incidence at the horizon.
  struct Estimate {
    var arm: MeanArm
    var events: Double
    /// Subjects with a known outcome: at risk at the horizon, or ended by then.
    var known: Int

    /// - Returns: `nil` if no subject's time reaches the horizon and some are still under way, because the curve then
    ///   does not reach it either.
    init?(_ history: IncidenceHistory, asOf: Int64, horizon: Int64) {
      known = history.count(startedBefore: asOf - horizon + 1)
      // At least one subject must have been followed to the horizon.
      if known == 0 { return nil }
      let (curve, events) = history.curve(asOf: asOf, horizon: horizon)
      arm = MeanArm(
        mean: curve.incidence(of: IncidenceRecord.event), variance: curve.variance(of: IncidenceRecord.event),
        count: Double(history.count(startedBefore: asOf)))
      self.events = Double(events)
    }

    func interval(z: Double) -> Interval? {
      cloglogInterval(incidence: arm.mean, variance: arm.variance, z: z)
        // At 0 or 1 the variance is unknown; uses Wilson's interval over the subjects with a known outcome.
        ?? wilsonInterval(successes: arm.mean * Double(known), trials: Double(known), z: z)
    }
  }

  /// Returns the data of a look some days before the as-of.
  static func look(
    _ treatment: IncidenceHistory, _ control: IncidenceHistory, asOf: Int64, daysBefore: Int, horizon: Int64
  ) -> DifferenceLook? {
    let instant = asOf - Int64(daysBefore) * day
    return look(
      Estimate(treatment, asOf: instant, horizon: horizon), Estimate(control, asOf: instant, horizon: horizon),
      daysBefore: daysBefore)
  }

  private static func look(_ treatment: Estimate?, _ control: Estimate?, daysBefore: Int) -> DifferenceLook? {
    guard let treatment, let control else { return nil }
    return MeanPair.look(
      treatment.arm, control.arm, events: (treatment.events, control.events), daysBefore: daysBefore)
  }

  private static func compare(
    _ treatment: Estimate?, _ control: Estimate?, looks: [DifferenceLook], _ rules: ComparisonRules, arm: Int
  ) -> ArmComparison {
    var comparison = ArmComparison(method: "aalen_johansen", golden: "competing_risks")
    guard let treatment, let control else {
      return ArmComparison(
        method: comparison.method, golden: comparison.golden,
        reason: "everything in one of the variants is too recent to count")
    }
    let (own, other) = (treatment.arm, control.arm)
    let error = (own.variance + other.variance).squareRoot()
    let difference = own.mean - other.mean
    comparison.difference = difference
    guard error > 0 else {
      comparison.reason = "nothing varies in either variant"
      comparison.sequential.reason = comparison.reason
      return comparison
    }
    comparison.standardError = error
    comparison.interval = Interval(around: difference, half: rules.z * error)
    comparison.p = NormalDistribution.twoSidedP(difference / error)
    if other.mean > 0 { comparison.lift = difference / other.mean }
    comparison.setLiftInterval(own.estimate, other.estimate, critical: rules.z)
    comparison.sequential = rules.sequential(arm).reading(looks, fixedP: comparison.p) { critical in
      Interval(around: difference, half: critical * error)
    }
    comparison.setDecisionLift(own.estimate, other.estimate)
    return comparison
  }
}
