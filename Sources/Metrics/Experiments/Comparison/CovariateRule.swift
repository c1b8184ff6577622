public import Statistics

/// A difference adjusted by the users' behaviour in the 30 days before their exposure (CUPED, Methods.md 2.6). It is
/// shown next to the unadjusted difference, which decides the verdict.
public struct CovariateReading: Sendable {
  /// The covariate, such as `activity in the 30 d before the exposure`.
  public var covariate: String
  /// The adjustment; `nil` if it does not apply.
  public var adjustment: CUPEDAdjustment?
  /// The reason why it does not apply.
  public var reason: String?
}

/// Adjusts the differences of a readout by the users' history.
struct CovariateRule {
  static let activity = "activity in the 30 d before the exposure"
  static let revenue = "the same in the 30 d before the exposure"

  let outcomes: Outcomes

  /// Sets ``ArmComparison/covariate`` if the metric has a history to look up.
  func adjust(_ readout: inout MetricReadout) {
    let metric = readout.metric
    for place in readout.comparisons.indices {
      let reading: CovariateReading?
      switch metric.kind {
      case .proportion: reading = byActivity(metric, arm: place + 1, readout.confidence)
      case .mean, .ratio: reading = byRevenue(metric, arm: place + 1, readout)
      case .incidence: reading = nil
      }
      readout.comparisons[place].covariate = reading
    }
  }

  /// - Returns: `nil` for a plan's own metric, because its users' earlier activity is not looked up.
  private func byActivity(_ metric: ExperimentMetric, arm: Int, _ confidence: Double) -> CovariateReading? {
    guard ExperimentMetric.builtInNames.contains(metric.name), metric.conditionalOn == nil,
      let arms = outcomes.shares[metric.name]
    else { return nil }
    let tallies = [arms[arm].total, arms[0].total]
    var reading = CovariateReading(covariate: Self.activity)
    if tallies.allSatisfy({ $0.active == 0 }) {
      reading.reason = "no analysed user was active before the exposure"
      return reading
    }
    let groups = tallies.map { tally in
      [
        Self.group(0, 0, tally.persons - tally.events - tally.active + tally.activeEvents),
        Self.group(0, 1, tally.events - tally.activeEvents), Self.group(1, 0, tally.active - tally.activeEvents),
        Self.group(1, 1, tally.activeEvents),
      ]
    }
    reading.adjustment = Self.known(
      cupedTest(treatment: groups[0], control: groups[1], confidence: confidence)?.adjustment)
    if reading.adjustment == nil { reading.reason = "nothing varies, or a variant has fewer than two users" }
    return reading
  }

  /// Returns an adjustment by a history that varies; `nil` for one that says nothing.
  private static func known(_ adjustment: CUPEDAdjustment?) -> CUPEDAdjustment? {
    adjustment.flatMap { $0.hasHistory && $0.standardError > 0 ? $0 : nil }
  }

  private static func group(_ before: Double, _ after: Double, _ count: Int) -> HistoryGroup {
    HistoryGroup(
      before: RatioUnit(numerator: before, denominator: 1), after: RatioUnit(numerator: after, denominator: 1),
      count: count)
  }

  /// - Returns: `nil` for metrics other than plain revenue.
  private func byRevenue(_ metric: ExperimentMetric, arm: Int, _ readout: MetricReadout) -> CovariateReading? {
    guard case .money(let currency) = metric.unit,
      metric == .revenue(currency) || metric == .revenuePerPayer(currency), let arms = outcomes.histories[currency]
    else { return nil }
    var reading = CovariateReading(covariate: Self.revenue)
    let pair = [arm, 0]
    if pair.allSatisfy({ arms[$0].isEmpty }) {
      reading.reason = "no analysed user had paid before the exposure"
      return reading
    }
    let groups = pair.map { arm -> [HistoryGroup] in
      let known = arms[arm].groups.map { group in
        HistoryGroup(
          before: RatioUnit(numerator: group.before.amount, denominator: group.before.isPayer ? 1 : 0),
          after: RatioUnit(numerator: group.after.amount, denominator: group.after.isPayer ? 1 : 0), count: group.count)
      }
      let rest = readout.arms[arm].persons - known.reduce(0) { $0 + $1.count }
      let zero = RatioUnit(numerator: 0, denominator: 0)
      return known + [HistoryGroup(before: zero, after: zero, count: max(0, rest))]
    }
    reading.adjustment = Self.known(
      metric.kind == .mean
        ? cupedTest(treatment: groups[0], control: groups[1], confidence: readout.confidence)?.adjustment
        : cupedRatio(treatment: groups[0], control: groups[1], confidence: readout.confidence))
    if reading.adjustment == nil { reading.reason = "the history of a variant says nothing: too few paid before" }
    return reading
  }
}

extension MetricReadout {
  /// Lets the adjusted differences decide, as planned; implements D10.3. Where there is none, the unadjusted one stays.
  ///
  /// The variances of both arms shrink alike, so the lift interval excludes 0 exactly when the difference's interval
  /// does.
  ///
  /// - Parameters:
  ///   - estimates: Unadjusted estimates of all arms.
  ///   - sequence: Returns the sequence of control and a treatment, by the arm's place.
  mutating func decideByHistory(_ estimates: [MeanArm?], sequence: (_ arm: Int) -> AsymptoticSequence) {
    for place in comparisons.indices {
      guard let adjustment = comparisons[place].covariate?.adjustment, adjustment.standardError > 0,
        let critical = comparisons[place].sequential.criticalValue, let plain = comparisons[place].standardError,
        plain > 0, let control = estimates[0], let treatment = estimates[place + 1]
      else { continue }
      var reading = comparisons[place].sequential
      let half = critical * adjustment.standardError
      reading.interval = Interval(around: adjustment.difference, half: half)
      reading.isSignificant = abs(adjustment.difference) > half
      reading.decidingEstimate = adjustment.difference
      switch reading.method {
      case .asymptoticSequence:
        reading.p =
          sequence(place + 1).look(
            estimate: adjustment.difference, standardError: adjustment.standardError,
            units: Double(arms[0].persons + arms[place + 1].persons))?.p
      case .once: reading.p = adjustment.twoSidedP
      case .groupSequential, .conversionShare, .none: reading.p = nil
      }
      reading.adjustedP = nil
      let shrink = adjustment.standardError / plain
      comparisons[place].sequential = reading
      comparisons[place].difference = adjustment.difference
      comparisons[place].setDecisionLift(
        MeanEstimate(
          mean: control.mean + adjustment.difference, standardError: shrink * treatment.variance.squareRoot()),
        MeanEstimate(mean: control.mean, standardError: shrink * control.variance.squareRoot()))
    }
  }
}
