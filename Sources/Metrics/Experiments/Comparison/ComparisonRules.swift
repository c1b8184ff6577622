internal import Statistics

/// The rules shared by all comparisons of one metric: the confidence level and the stopping rule.
struct ComparisonRules {
  /// The confidence level of the displayed intervals, adjusted for the family.
  var confidence: Double
  /// The number of comparisons in the family.
  var familySize: Int
  /// Returns the rule for comparing an arm with control, by the arm's place; 1 is the first treatment.
  var sequential: (_ arm: Int) -> SequentialRule
  /// Whether to compute probabilities and expected losses; slices omit them.
  var hasPosteriors = true
  /// Whether to take a look on every day of data, or only now.
  var hasLooks = true
  /// The seed of resampling.
  var seed: String
  /// Names of the arms, control first, for reasons.
  var variants: [String]

  var z: Double { NormalDistribution.criticalValue(confidence: confidence) }
}

extension MetricReadout {
  init(_ metric: ExperimentMetric, _ rules: ComparisonRules, arms: [ArmResult], comparisons: [ArmComparison]) {
    self.init(metric: metric, confidence: rules.confidence, arms: arms, comparisons: comparisons)
    familySize = rules.familySize
  }
}

extension ExperimentMetric {
  /// 1 if more is better or the metric has no direction, −1 if less is better.
  public var sign: Double { direction == .down ? -1 : 1 }

  /// Adds probabilities and expected losses for arms whose estimates are nearly normal.
  func addNormalPosteriors(_ estimates: [MeanArm?], to arms: inout [ArmResult], _ comparisons: inout [ArmComparison]) {
    for (place, estimate) in estimates.dropFirst().enumerated() {
      guard let own = estimate, let other = estimates[0], own.variance + other.variance > 0 else { continue }
      let decision = normalDecision(
        mean: sign * (own.mean - other.mean), sd: (own.variance + other.variance).squareRoot())
      comparisons[place].chanceToBeat = decision.chanceToWin
      comparisons[place].expectedLoss = decision.treatmentLoss
    }
    let all = estimates.compactMap { $0 }
    guard all.count == estimates.count, all.count >= 2, all.allSatisfy({ $0.variance > 0 }),
      let decision = normalArmsDecision(
        all.map { MeanEstimate(mean: sign * $0.mean, standardError: $0.variance.squareRoot()) })
    else { return }
    for arm in arms.indices {
      arms[arm].chanceBest = decision.bestProbabilities[arm]
      arms[arm].expectedLoss = decision.expectedLosses[arm]
    }
  }
}
