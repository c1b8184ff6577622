internal import Lifecycle
public import Statistics

/// A difference adjusted by what the persons did in the 30 days before their exposure (CUPED, Methods.md 2.6), beside
/// the plain one: the verdict goes by that.
public struct CovariateReading: Sendable {
  /// What is adjusted by, such as `activity in the 30 d before the exposure`.
  public var covariate: String
  /// `nil` where it does not apply.
  public var adjustment: CUPEDAdjustment?
  /// Why it does not.
  public var reason: String?
}

/// Adjusts the differences of a readout by the persons' history.
struct CovariateRule {
  static let activity = "activity in the 30 d before the exposure"
  static let revenue = "the same in the 30 d before the exposure"

  let outcomes: Outcomes

  /// Fills in ``ArmComparison/covariate`` where the metric has a history to look for.
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

  /// - Returns: `nil` for a plan's own metric, whose persons' activity is not looked up.
  private func byActivity(_ metric: ExperimentMetric, arm: Int, _ confidence: Double) -> CovariateReading? {
    guard ExperimentMetric.builtInNames.contains(metric.name), metric.conditionalOn == nil,
      let arms = outcomes.shares[metric.name]
    else { return nil }
    let tallies = [arms[arm].total, arms[0].total]
    var reading = CovariateReading(covariate: Self.activity)
    if tallies.allSatisfy({ $0.active == 0 }) {
      reading.reason = "nobody analysed was active before the exposure"
      return reading
    }
    let groups = tallies.map { tally in
      [
        Self.group(0, 0, tally.persons - tally.events - tally.active + tally.activeEvents),
        Self.group(0, 1, tally.events - tally.activeEvents), Self.group(1, 0, tally.active - tally.activeEvents),
        Self.group(1, 1, tally.activeEvents),
      ]
    }
    reading.adjustment = cupedTest(treatment: groups[0], control: groups[1], confidence: confidence)
    if reading.adjustment == nil { reading.reason = "nothing varies, or a variant has fewer than two persons" }
    return reading
  }

  private static func group(_ before: Double, _ after: Double, _ count: Int) -> HistoryGroup {
    HistoryGroup(
      before: RatioUnit(numerator: before, denominator: 1), after: RatioUnit(numerator: after, denominator: 1),
      count: count)
  }

  /// - Returns: `nil` for what is no plain revenue.
  private func byRevenue(_ metric: ExperimentMetric, arm: Int, _ readout: MetricReadout) -> CovariateReading? {
    guard case .money(let currency) = metric.unit,
      metric == .revenue(currency) || metric == .revenuePerPayer(currency), let arms = outcomes.histories[currency]
    else { return nil }
    var reading = CovariateReading(covariate: Self.revenue)
    let pair = [arm, 0]
    if pair.allSatisfy({ arms[$0].isEmpty }) {
      reading.reason = "nobody analysed had paid before the exposure"
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
    reading.adjustment =
      metric.kind == .mean
      ? cupedTest(treatment: groups[0], control: groups[1], confidence: readout.confidence)
      : cupedRatio(treatment: groups[0], control: groups[1], confidence: readout.confidence)
    if reading.adjustment == nil { reading.reason = "the history of a variant says nothing: too few paid before" }
    return reading
  }
}

extension MetricReadout {
  /// Has the adjusted differences decide, as planned (D10.3); where there is no adjustment, the plain one stays.
  ///
  /// Variances of both arms shrink alike, so that the lift interval excludes 0 exactly when that of the difference does.
  ///
  /// - Parameters:
  ///   - estimates: Plain ones of all arms.
  ///   - sequence: Of control and a treatment, by the arm's place.
  mutating func decideByHistory(_ estimates: [MeanArm?], sequence: (_ arm: Int) -> AsymptoticSequence) {
    for place in comparisons.indices {
      guard let adjustment = comparisons[place].covariate?.adjustment, adjustment.standardError > 0,
        let critical = comparisons[place].sequential.criticalValue, let plain = comparisons[place].standardError,
        plain > 0, let control = estimates[0], let treatment = estimates[place + 1]
      else { continue }
      var reading = comparisons[place].sequential
      let half = critical * adjustment.standardError
      reading.interval = Interval(low: adjustment.difference - half, high: adjustment.difference + half)
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
