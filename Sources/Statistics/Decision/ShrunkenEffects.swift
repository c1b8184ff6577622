internal import RealModule

/// The effects of an app's tests, corrected for the winner's curse: the posterior under a grid of two-normal priors.
///
/// All tests enter, including lost and undecided ones; leaving them out would bring the selection back (Dawid 1994,
/// Senn 2008). The tests themselves show how large effects are in this app: each prior of the grid is weighted by how
/// well it explains all of them. A single normal is not enough: with few large effects among many small ones its sum
/// covered 54% instead of 95%.
///
/// Source: empirical Bayes over a grid as in Stephens (2017), Biostatistics 18:275; fat tails: Azevedo, Deng, Montiel
/// Olea, Rao & Weyl (2020), J Polit Econ 128:4614.
public struct ShrunkenEffects: Hashable, Sendable {
  /// The effects as measured, in the given order.
  public let effects: [LogLift]
  /// E(θ) of each test, in that order: closer to 0 than the effect, with its sign.
  public let means: [Double]
  /// The posterior weights of ``EffectPrior/grid``; they sum to 1.
  private let weights: [Double]

  /// - Precondition: every variance above 0.
  public init(_ effects: [LogLift]) {
    precondition(effects.allSatisfy { $0.variance > 0 }, "variances must be above 0")
    self.effects = effects
    let posteriors = EffectPrior.grid.map { prior in effects.map { EffectPosterior($0, prior) } }
    let logWeights = zip(EffectPrior.gridWeights, posteriors).map { weight, ofTests in
      ofTests.reduce(Double.log(weight)) { $0 + $1.logDensity }
    }
    let weights = EffectPrior.normalized(logWeights)
    self.weights = weights
    self.means = effects.indices.map { test in
      zip(weights, posteriors).reduce(0) { $0 + $1.0 * $1.1[test].mean }
    }
  }

  /// Returns the sum of the true log lifts of some tests, with its 95% interval.
  ///
  /// Given a prior of the grid, tests are independent and their sum is a convolution of two-normal mixtures; the result
  /// is the mixture of those over the grid. Its distribution function follows from its characteristic function φ:
  ///
  ///     F(x) = ½ − (1/π)·Σₖ Im{e^(−i·tₖ·x)·φ(tₖ)}/(k + ½),   tₖ = (k + ½)h
  ///
  /// (Gil-Pelaez 1951, Biometrika 38:481, by the midpoint rule). The rule is exact within 2π/h of x, and h is chosen so
  /// that this includes the whole distribution. A normal with the same mean and variance would cover 97.3% instead of
  /// 95%.
  ///
  /// - Parameter tests: Indices in ``effects``, each once.
  /// - Returns: `nil` without tests.
  public func sum(of tests: [Int]) -> (mean: Double, interval: Interval)? {
    guard !tests.isEmpty else { return nil }
    let mean = tests.reduce(0) { $0 + means[$1] }
    // A posterior mean is between 0 and y, and a posterior variance below s²: the sum is within 9 of those deviations.
    let spread = 9 * tests.reduce(0) { $0 + effects[$1].variance }.squareRoot()
    let lowest = tests.reduce(0) { $0 + min(0, effects[$1].value) } - spread
    let highest = tests.reduce(0) { $0 + max(0, effects[$1].value) } + spread
    let curve = characteristic(of: tests, step: 2 * Double.pi / (highest - lowest), center: mean)
    func quantile(_ probability: Double) -> Double {
      var (low, high) = (lowest, highest)
      for _ in 0..<60 {
        let middle = low + (high - low) / 2
        if curve.cdf(middle - mean) < probability { low = middle } else { high = middle }
      }
      return low + (high - low) / 2
    }
    return (mean, Interval(low: quantile(0.025), high: quantile(0.975)))
  }

  /// Returns φ(t)·e^(−i·t·center) of the sum at (k + ½)·step, until it vanishes.
  private func characteristic(of tests: [Int], step: Double, center: Double) -> SampledCharacteristic {
    var curve = SampledCharacteristic(step: step)
    for (weight, prior) in zip(weights, EffectPrior.grid) where weight > 1e-16 {
      let posteriors = tests.map { EffectPosterior(effects[$0], prior) }
      let least = posteriors.reduce(0) { $0 + $1.parts.map(\.variance).min()! }
      // exp(−½t²·least) is below 1e-15 beyond: 69 = −2·ln(1e-15).
      let count = Int(((69 / least).squareRoot() / step).rounded(.up))
      for index in 0..<max(1, count) {
        let t = (Double(index) + 0.5) * step
        var (real, imaginary) = (weight * Double.cos(t * center), -weight * Double.sin(t * center))
        for posterior in posteriors {
          var (re, im) = (0.0, 0.0)
          for part in posterior.parts where part.share > 0 {
            let size = part.share * Double.exp(-0.5 * t * t * part.variance)
            re += size * Double.cos(t * part.mean)
            im += size * Double.sin(t * part.mean)
          }
          (real, imaginary) = (real * re - imaginary * im, real * im + imaginary * re)
        }
        curve.add(real, imaginary, at: index)
      }
    }
    return curve
  }

  /// Returns the chance that the next test shows a gain, if it measures its log lift with standard error s and compares
  /// it with the critical value c: assurance (O'Hagan, Stevens & Campbell 2005, Pharm Stat 4:187).
  ///
  ///     Σ weight·Σ_j π_j·Φ(−c·s/√(s² + σ_j²))
  ///
  /// Without tests, uses the prior alone.
  public func chanceOfGain(standardError s: Double, critical c: Double) -> Double {
    zip(weights, EffectPrior.grid).reduce(0) { total, point in
      let (weight, prior) = point
      return total
        + weight
        * prior.parts.reduce(0) {
          $0 + $1.share * NormalDistribution.cdf(-c * s / (s * s + $1.variance).squareRoot())
        }
    }
  }
}

/// The posterior of one test's θ under one prior, which is again a mixture of two normals.
private struct EffectPosterior {
  let parts: [(share: Double, mean: Double, variance: Double)]
  /// The log of the density of the measured effect, without the constant −½·ln 2π.
  let logDensity: Double

  init(_ effect: LogLift, _ prior: EffectPrior) {
    let (y, v) = (effect.value, effect.variance)
    let logs = prior.parts.map { part in
      Double.log(part.share) - 0.5 * Double.log(v + part.variance) - 0.5 * y * y / (v + part.variance)
    }
    // Far from 0 both densities underflow; only their ratio matters then.
    let shares = EffectPrior.normalized(logs)
    let largest = logs.max()!
    logDensity = largest + Double.log(logs.reduce(0) { $0 + Double.exp($1 - largest) })
    parts = zip(prior.parts, shares).map { part, share in
      (share, y * (part.variance / (v + part.variance)), v * (part.variance / (v + part.variance)))
    }
  }

  var mean: Double { parts.reduce(0) { $0 + $1.share * $1.mean } }
}

/// A characteristic function at (k + ½)·step.
private struct SampledCharacteristic {
  let step: Double
  private var real: [Double] = []
  private var imaginary: [Double] = []

  init(step: Double) { self.step = step }

  mutating func add(_ re: Double, _ im: Double, at index: Int) {
    while real.count <= index {
      real.append(0)
      imaginary.append(0)
    }
    real[index] += re
    imaginary[index] += im
  }

  func cdf(_ x: Double) -> Double {
    var sum = 0.0
    for index in real.indices {
      let place = Double(index) + 0.5
      let angle = place * step * x
      sum += (imaginary[index] * Double.cos(angle) - real[index] * Double.sin(angle)) / place
    }
    return 0.5 - sum / Double.pi
  }
}
