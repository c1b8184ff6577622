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
    var (low, high) = (0, cumulated.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if cumulated[middle] > u { high = middle } else { low = middle + 1 }
    }
    return Double(low)
  }
}
