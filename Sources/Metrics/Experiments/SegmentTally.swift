internal import Statistics

/// Sums over the analysed users of one arm of a segment.
struct SegmentTally: Mergeable {
  var users = 0
  /// Users with the outcome: for means those with a value other than 0, for ratios those with a denominator.
  var outcomes = 0
  private var moments = Moments()
  private var ratio = RatioTally()

  mutating func add(_ user: UserOutcome, _ kind: ExperimentMetric.Kind) {
    users += 1
    if (kind == .ratio ? user.base : user.amount) != 0 { outcomes += 1 }
    if kind == .mean { moments.add(user.amount) }
    if kind == .ratio {
      ratio.persons += 1
      ratio.add(numerator: user.amount, denominator: user.base)
    }
  }

  mutating func merge(_ other: SegmentTally) {
    users += other.users
    outcomes += other.outcomes
    moments.merge(other.moments)
    ratio.merge(other.ratio)
  }

  var share: Proportion { Proportion(successes: Double(outcomes), trials: Double(users)) }

  /// Returns the mean or the ratio; `nil` without one.
  func arm(_ kind: ExperimentMetric.Kind) -> MeanArm? {
    switch kind {
    case .proportion, .incidence:
      share.estimate.map { MeanArm(mean: $0, variance: share.meanEstimate.variance, count: share.trials) }
    case .mean: MeanArm(moments)
    case .ratio: ratio.sums.arm
    }
  }

  /// Returns one cohort's difference.
  static func week(
    _ time: Double, _ treatment: SegmentTally, _ control: SegmentTally, _ kind: ExperimentMetric.Kind
  ) -> CohortTrend.Week? {
    switch kind {
    case .proportion, .incidence: return CohortTrend.Week(time: time, treatment.share, control.share)
    case .mean: return CohortTrend.Week(time: time, treatment.moments, control.moments)
    case .ratio:
      guard let one = treatment.arm(kind), let other = control.arm(kind), one.variance + other.variance > 0 else {
        return nil
      }
      return CohortTrend.Week(
        time: time, difference: one.mean - other.mean, variance: one.variance + other.variance)
    }
  }

  static func lift(
    _ treatment: SegmentTally, _ control: SegmentTally, _ kind: ExperimentMetric.Kind
  ) -> LogLift? {
    if kind == .proportion || kind == .incidence { return LogLift(treatment.share, control.share) }
    guard let one = treatment.arm(kind), let other = control.arm(kind) else { return nil }
    return LogLift(one.estimate, other.estimate)
  }

  func result(_ kind: ExperimentMetric.Kind) -> SegmentArm {
    SegmentArm(users: users, outcomes: outcomes, estimate: arm(kind)?.mean)
  }
}
