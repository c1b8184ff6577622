internal import Statistics

extension Calculator {
  static let coverageMethods: [String: Method] = {
    @Sendable func one(_ interval: @escaping @Sendable (Proportion, Double, Double) -> Interval?) -> Method {
      { fields in
        let confidence = try fields.confidence()
        let z = NormalDistribution.criticalValue(confidence: confidence)
        return [
          "coverage": exactCoverage(
            trials: try fields.integer("n", in: 1...1_000_000), rate: try fields.probability("p"),
            interval: { interval($0, z, confidence) })
        ]
      }
    }
    @Sendable func two(
      ratio: Bool, _ interval: @escaping @Sendable (Proportion, Proportion, Double) -> Interval?
    ) -> Method {
      { fields in
        let z = NormalDistribution.criticalValue(confidence: try fields.confidence())
        let rates = (try fields.share("p1"), try fields.share("p2"))
        let trials = (try fields.integer("n1", in: 1...10_000), try fields.integer("n2", in: 1...10_000))
        return [
          "coverage": exactCoverage(
            trials: trials, rates: rates, truth: ratio ? rates.0 / rates.1 : rates.0 - rates.1,
            interval: { interval($0, $1, z) })
        ]
      }
    }
    return [
      "coverage_one_wilson": one { sample, z, _ in
        wilsonInterval(successes: sample.successes, trials: sample.trials, z: z)
      },
      "coverage_one_clopper_pearson": one { sample, _, confidence in
        clopperPearsonInterval(sample, confidence: confidence)
      },
      "coverage_one_jeffreys_bcd": one { sample, _, confidence in jeffreysInterval(sample, confidence: confidence) },
      "coverage_one_wald_unclipped": one { sample, z, _ in waldInterval(sample, z: z) },
      "coverage_ratio_miettinen_nurminen": two(ratio: true) { scoreRatio($0, $1, z: $2) },
      "coverage_ratio_koopman": two(ratio: true) { scoreRatio($0, $1, z: $2, corrected: false) },
      "coverage_ratio_katz_log_undefined_counts_as_miss": two(ratio: true) { katzLogRatio($0, $1, z: $2) },
      "coverage_ratio_delta_method_undefined_counts_as_miss": two(ratio: true) { one, two, z in
        // Like the engines that use it, gives no interval if an arm has no variance or no success.
        guard let p1 = one.estimate, let p2 = two.estimate, p1 > 0, p2 > 0 else { return nil }
        func estimate(_ sample: Proportion, _ rate: Double) -> MeanEstimate {
          MeanEstimate(mean: rate, standardError: (rate * (1 - rate) / sample.trials).squareRoot())
        }
        return deltaLift(estimate(one, p1), estimate(two, p2), critical: z).map { lift in
          Interval(low: lift.interval.low + 1, high: lift.interval.high + 1)
        }
      },
      "coverage_diff_miettinen_nurminen": two(ratio: false) { miettinenNurminenDifference($0, $1, z: $2) },
      "coverage_diff_mee": two(ratio: false) { meeDifference($0, $1, z: $2) },
      "coverage_diff_newcombe_hybrid_score": two(ratio: false) { newcombeDifference($0, $1, z: $2) },
      "coverage_diff_agresti_caffo_unclipped": two(ratio: false) { agrestiCaffoDifference($0, $1, z: $2) },
      "coverage_diff_wald_unclipped": two(ratio: false) { waldDifference($0, $1, z: $2) },
    ]
  }()
}
