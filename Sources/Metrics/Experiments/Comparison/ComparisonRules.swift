internal import Statistics

/// What all comparisons of one metric share: its level and by which rule looks may decide.
struct ComparisonRules {
  /// Of the intervals shown, adjusted for the family.
  var confidence: Double
  /// Comparisons in the family.
  var familySize: Int
  /// The rule of the control against an arm, by the arm's place; 1 is the first treatment.
  var sequential: (_ arm: Int) -> SequentialRule
  /// Whether chances and losses are wanted: slices go without.
  var hasPosteriors = true
  /// Whether a look is taken for every day of data, or only for now.
  var hasLooks = true
  /// What resampling begins with.
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
  /// 1 where more is better or nothing is, −1 where less is.
  public var sign: Double { direction == .down ? -1 : 1 }

  /// Fills in chances and losses of arms whose estimates are nearly normal.
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
