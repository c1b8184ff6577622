internal import RealModule

/// Returns the number of successes for a uniform draw: by inversion for up to 64 trials, else by the second-order
/// Cornish–Fisher expansion, whose error is a fraction of a success.
///
/// - Parameters:
///   - trials: Whole, not negative.
///   - uniform: In [0, 1).
///
/// Source: Cornish & Fisher (1938), doi:10.2307/1400905.
public func binomialDraw(trials: Double, probability: Double, uniform: Double) -> Double {
  if probability <= 0 || trials == 0 { return 0 }
  if probability >= 1 { return trials }
  guard trials > 64 else {
    let odds = probability / (1 - probability)
    var (k, mass) = (0.0, Double.pow(1 - probability, trials))
    var below = mass
    while below <= uniform, k < trials {
      mass *= odds * (trials - k) / (k + 1)
      k += 1
      below += mass
    }
    return k
  }
  let variance = trials * probability * (1 - probability)
  let draw = expansion(mean: trials * probability, variance: variance, skewed: 1 - 2 * probability, uniform)
  return min(trials, max(0, draw))
}

/// Returns a Poisson count for a uniform draw, by the methods of ``binomialDraw(trials:probability:uniform:)``.
///
/// - Parameter mean: Not negative.
public func poissonDraw(mean: Double, uniform: Double) -> Double {
  guard mean > 64 else {
    var (k, mass) = (0.0, Double.exp(-mean))
    var below = mass
    while below <= uniform, k < 200 {
      k += 1
      mass *= mean / k
      below += mass
    }
    return k
  }
  return max(0, expansion(mean: mean, variance: mean, skewed: 1, uniform))
}

private func expansion(mean: Double, variance: Double, skewed skew: Double, _ uniform: Double) -> Double {
  let z = NormalDistribution.quantile(min(1 - 0x1p-53, max(0x1p-54, uniform)))
  return (mean + variance.squareRoot() * z + skew * (z * z - 1) / 6).rounded()
}
