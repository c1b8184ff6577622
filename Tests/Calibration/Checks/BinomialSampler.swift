internal import Basics

import Statistics

/// Draws binomial numbers by inverting a table of the distribution.
struct BinomialSampler {
  private let cumulated: [Double]

  init(trials: Int, rate: Double) {
    let law = BinomialDistribution(trials: Double(trials), probability: rate)
    var sum = 0.0
    cumulated = (0...trials).map { count in
      sum += law.probability(of: Double(count))
      return sum
    }
  }

  func draw(_ draws: inout Draws) -> Double {
    let u = draws.uniform()
    return Double(cumulated.dropLast().firstPlace { $0 > u })
  }
}
