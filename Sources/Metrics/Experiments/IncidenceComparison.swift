internal import Lifecycle
public import Statistics

/// What is said of an incidence over all times, beside its value at the horizon.
public struct IncidenceReadout: Sendable {
  public var metric: String
  /// Milliseconds.
  public var horizon: Int64
  /// Gray's test over all times and variants; `nil` where it cannot be made.
  public var gray: GrayTest?
  /// One per arm.
  public var arms: [Arm]

  public struct Arm: Sendable {
    public var started: Int
    public var converted: Int
    public var lapsed: Int
    public var pending: Int
  }
}

/// Cumulative incidence at a horizon: Aalen–Johansen with complementary log–log intervals, compared there.
enum IncidenceComparison {
  /// - Parameters:
  ///   - arms: Control first.
  ///   - lookDays: Days before the as-of at which looks are taken, the oldest first; 0 is now.
  static func readout(
    _ metric: ExperimentMetric, arms: [[IncidenceRecord]], asOf: Int64, lookDays: [Int], _ rules: ComparisonRules
  ) -> MetricReadout {
    let now = arms.map { Estimate($0, asOf: asOf, horizon: metric.horizon) }
    var results = zip(arms, now).map { records, estimate in
      var result = ArmResult(
        persons: records.count, immature: records.count { $0.time == nil },
        events: records.count { $0.time != nil && $0.cause == IncidenceRecord.event })
      result.estimate = estimate?.arm.mean
      result.interval = estimate?.interval(z: rules.z)
      if estimate == nil { result.reason = "nothing began, or nothing is old enough to tell" }
      return result
    }
    var comparisons = arms.indices.dropFirst().map { arm in
      let past = lookDays.compactMap { day -> DifferenceLook? in
        if day == 0 { return look(now[arm], now[0], daysBefore: 0) }
        return look(arms[arm], arms[0], asOf: asOf, daysBefore: day, horizon: metric.horizon)
      }
      var comparison = compare(now[arm], now[0], looks: past, rules, arm: arm)
      if rules.hasPosteriors { comparison.logRank = logRank(arms[arm], arms[0], asOf: asOf) }
      return comparison
    }
    if rules.hasPosteriors { metric.addNormalPosteriors(now.map { $0?.arm }, to: &results, &comparisons) }
    return MetricReadout(metric, rules, arms: results, comparisons: comparisons)
  }

  /// - Returns: `nil` where something else ends what is watched, such as the lapse of a trial: Gray's test is for that.
  private static func logRank(_ treatment: [IncidenceRecord], _ control: [IncidenceRecord], asOf: Int64) -> LogRankTest?
  {
    if (treatment + control).contains(where: { $0.time != nil && $0.cause == IncidenceRecord.competing }) { return nil }
    return logRankTest(
      control.survivalRecords(asOf: asOf, group: 0) + treatment.survivalRecords(asOf: asOf, group: 1))
  }

  static func over(_ metric: ExperimentMetric, arms: [[IncidenceRecord]], asOf: Int64) -> IncidenceReadout {
    let records = arms.enumerated().flatMap { $1.survivalRecords(asOf: asOf, group: $0) }
    return IncidenceReadout(
      metric: metric.name, horizon: metric.horizon, gray: grayTest(records, cause: 1),
      arms: arms.map { arm in
        let converted = arm.count { $0.time != nil && $0.cause == IncidenceRecord.event }
        let pending = arm.count { $0.time == nil }
        return IncidenceReadout.Arm(
          started: arm.count, converted: converted, lapsed: arm.count - converted - pending, pending: pending)
      })
  }

  /// One arm's incidence at the horizon.
  struct Estimate {
    var arm: MeanArm
    var events: Double
    /// At risk at the horizon or ended by then: whose outcome is known.
    var known: Int

    /// - Returns: `nil` when nobody's time reaches the horizon and somebody is still under way: then the curve says
    ///   nothing of it.
    init?(_ records: [IncidenceRecord], asOf: Int64, horizon: Int64) {
      let started = records.filter { $0.start < asOf }
      // Somebody has to have been watched that long, or all to have ended.
      guard started.contains(where: { $0.start + horizon <= asOf }) else { return nil }
      let curve = started.incidence(asOf: asOf, horizon: horizon)
      arm = MeanArm(
        mean: curve.incidence(of: IncidenceRecord.event), variance: curve.variance(of: IncidenceRecord.event),
        count: Double(started.count))
      known = started.count { $0.start + horizon <= asOf }
      events = Double(
        started.count { record in
          guard let time = record.time, record.cause == IncidenceRecord.event else { return false }
          return time <= horizon && record.start + time < asOf
        })
    }

    func interval(z: Double) -> Interval? {
      cloglogInterval(incidence: arm.mean, variance: arm.variance, z: z)
        // At 0 or 1 no variance is known; Wilson's interval of those whose outcome is.
        ?? wilsonInterval(successes: arm.mean * Double(known), trials: Double(known), z: z)
    }
  }

  /// What a look some days before the as-of saw.
  static func look(
    _ treatment: [IncidenceRecord], _ control: [IncidenceRecord], asOf: Int64, daysBefore: Int, horizon: Int64
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
        reason: "in one of the variants nothing is old enough to tell")
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
    comparison.interval = Interval(low: difference - rules.z * error, high: difference + rules.z * error)
    comparison.p = NormalDistribution.twoSidedP(difference / error)
    if other.mean > 0 { comparison.lift = difference / other.mean }
    switch fiellerRatio(own.estimate, other.estimate, critical: rules.z) {
    case .bounded(let ratios):
      comparison.liftInterval = Interval(low: ratios.low - 1, high: ratios.high - 1)
    case .complement, .wholeLine: comparison.liftReason = "unbounded: the control cannot be told from 0"
    }
    comparison.sequential = rules.sequential(arm).reading(looks, fixedP: comparison.p) { critical in
      Interval(low: difference - critical * error, high: difference + critical * error)
    }
    return comparison
  }
}
