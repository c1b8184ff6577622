internal import Statistics

/// Compares means over users, zeros included: Welch for the difference and the test, Fieller for the lift.
enum MeanComparison {
  static func readout(
    _ metric: ExperimentMetric, arms: [CumulativeByDay<Distribution>], immature: [Int], _ rules: ComparisonRules
  ) -> MetricReadout {
    let totals = arms.map(\.total)
    let moments = totals.map(\.moments)
    let estimates = moments.map { MeanArm($0) }
    var results = totals.indices.map { arm in
      var result = ArmResult(persons: totals[arm].persons, immature: immature[arm], events: totals[arm].nonzero)
      result.estimate = moments[arm].mean
      if totals[arm].persons == 0 { result.reason = ProportionComparison.notYet }
      if let estimate = estimates[arm] {
        let half =
          StudentDistribution.criticalValue(confidence: rules.confidence, degrees: estimate.count - 1)
          * estimate.variance.squareRoot()
        result.interval = Interval(around: estimate.mean, half: half)
      }
      return result
    }
    var comparisons = totals.indices.dropFirst().map { arm in
      var comparison = MeanPair(
        treatment: estimates[arm], control: estimates[0], looks: looks(arms[arm], arms[0], rules), rules: rules,
        arm: arm
      ).comparison(method: "welch", golden: "welch_means")
      if rules.hasPosteriors, let gate = normalityGate(treatment: moments[arm], control: moments[0]),
        !gate.isNearlyNormal
      {
        comparison.bootstrap = bootstrap(totals[arm], totals[0], rules)
      }
      return comparison
    }
    if rules.hasPosteriors { metric.addNormalPosteriors(estimates, to: &results, &comparisons) }
    return MetricReadout(metric, rules, arms: results, comparisons: comparisons)
  }

  static func looks(
    _ treatment: CumulativeByDay<Distribution>, _ control: CumulativeByDay<Distribution>, _ rules: ComparisonRules
  ) -> [DifferenceLook] {
    guard rules.hasLooks else {
      return [look(treatment.total, control.total, daysBefore: 0)].compactMap { $0 }
    }
    // Each day's moments are computed once and merged look by look.
    var (one, other) = (RunningMoments(), RunningMoments())
    return Set(treatment.days.keys).union(control.days.keys).sorted(by: >).compactMap { day in
      one.add(treatment.days[day])
      other.add(control.days[day])
      return MeanPair.look(
        one.arm, other.arm, events: (Double(one.nonzero), Double(other.nonzero)), daysBefore: day)
    }
  }

  private static func look(_ treatment: Distribution, _ control: Distribution, daysBefore: Int) -> DifferenceLook? {
    MeanPair.look(
      MeanArm(treatment.moments), MeanArm(control.moments),
      events: (Double(treatment.nonzero), Double(control.nonzero)), daysBefore: daysBefore)
  }

  private struct RunningMoments {
    var moments = Moments()
    var nonzero = 0

    mutating func add(_ day: Distribution?) {
      guard let day else { return }
      moments.merge(day.moments)
      nonzero += day.nonzero
    }

    var arm: MeanArm? { MeanArm(moments) }
  }

  private static let resamples = 1_999
  /// The most draws that a readout waits for.
  private static let mostDraws = 20_000_000

  /// - Returns: `nil` if it would take seconds; then the note says that the normal interval is doubtful.
  private static func bootstrap(
    _ treatment: Distribution, _ control: Distribution, _ rules: ComparisonRules
  ) -> Interval? {
    guard (treatment.persons + control.persons) * resamples <= mostDraws else { return nil }
    func values(_ distribution: Distribution) -> [Double] {
      distribution.sorted.flatMap { [Double](repeating: $0.value, count: $0.count) }
    }
    return bootstrapTDifference(
      treatment: values(treatment), control: values(control), confidence: rules.confidence, resamples: resamples,
      generator: CounterGenerator(name: rules.seed))
  }
}

/// Two estimates that are nearly normal, with the data of each look.
struct MeanPair {
  var treatment: MeanArm?
  var control: MeanArm?
  var looks: [DifferenceLook]
  var rules: ComparisonRules
  var arm: Int

  static func look(
    _ treatment: MeanArm?, _ control: MeanArm?, events: (treatment: Double, control: Double), daysBefore: Int
  ) -> DifferenceLook? {
    guard let treatment, let control else { return nil }
    let error = (treatment.variance + control.variance).squareRoot()
    let difference = treatment.mean - control.mean
    return DifferenceLook(
      daysBefore: daysBefore, estimate: difference, standardError: error, z: error > 0 ? difference / error : nil,
      treatmentUsers: treatment.count, controlUsers: control.count, treatmentEvents: events.treatment,
      controlEvents: events.control)
  }

  /// - Parameter notKnown: Why an arm has no estimate, where that is known.
  func comparison(method: String, golden: String, notKnown: String? = nil) -> ArmComparison {
    var comparison = ArmComparison(method: method, golden: golden)
    guard let treatment, let control else {
      return ArmComparison(
        method: method, golden: golden, reason: notKnown ?? "fewer than two analysed users in a variant")
    }
    comparison.difference = treatment.mean - control.mean
    guard let test = welchTest(treatment, control, confidence: rules.confidence) else {
      comparison.reason = "nothing varies in either variant"
      comparison.liftReason = comparison.reason
      comparison.sequential.reason = comparison.reason
      return comparison
    }
    comparison.standardError = test.standardError
    comparison.degrees = test.degrees
    comparison.interval = test.interval
    comparison.p = test.twoSidedP
    // With a negative control, a larger value would give a smaller lift.
    if control.mean < 0 {
      comparison.liftReason = "the control's value is not above 0"
    } else {
      if control.mean > 0 { comparison.lift = treatment.mean / control.mean - 1 }
      comparison.setLiftInterval(treatment.estimate, control.estimate, critical: test.critical)
    }
    comparison.sequential = rules.sequential(arm).reading(looks, fixedP: comparison.p) { critical in
      Interval(around: test.difference, half: critical * test.standardError)
    }
    comparison.setDecisionLift(treatment.estimate, control.estimate)
    return comparison
  }
}
