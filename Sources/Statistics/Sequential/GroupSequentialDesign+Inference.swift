extension GroupSequentialDesign {
  /// Returns the repeated interval at a look, estimate ± bound·se: valid whether or not the test stops there.
  ///
  /// - Parameter look: From 0.
  ///
  /// Source: Jennison & Turnbull (1989), J R Stat Soc B 51:305.
  public func repeatedInterval(look: Int, estimate: Double, standardError: Double) -> Interval {
    let half = bounds[look] * standardError
    return Interval(around: estimate, half: half)
  }

  /// Returns the inference after stopping, in the stage-wise order: stopping earlier is more extreme, and within a look
  /// a larger z.
  ///
  /// The raw estimate of an early winner is inflated; the median-unbiased one is not.
  ///
  /// - Parameters:
  ///   - look: The look at which the test stopped, from 0: the first with |z| at or above its bound, or the last.
  ///   - z: The statistic at that look; `standardError` is that of its estimate.
  ///
  /// Source: Tsiatis, Rosner & Mehta (1984); Jennison & Turnbull (2000), chapter 8.
  public func inferenceAfterStopping(
    look: Int, z: Double, standardError: Double, confidence: Double = 0.95
  ) -> StoppedInference {
    precondition(looks.indices.contains(look), "look is \(look), but must be below \(looks.count)")
    let upper = tail(look: look, z: z, drift: 0)
    // The estimate at this look has mean drift·√t in z, so drift·√t·se in its own unit.
    let unit = looks[look].squareRoot() * standardError
    /// The probability of an outcome this high increases with the drift, nearly linearly on the probit scale: a secant.
    func drift(whereTailIs share: Double) -> Double {
      let target = NormalDistribution.quantile(share)
      func miss(_ drift: Double) -> Double {
        let share = min(1 - 1e-16, max(1e-300, tail(look: look, z: z, drift: drift)))
        return NormalDistribution.quantile(share) - target
      }
      let start = z / looks[look].squareRoot()
      return secantRoot(from: start, start + (start + target == start ? 0.5 : target), rounds: 40, of: miss)
    }
    let side = (1 - confidence) / 2
    return StoppedInference(
      twoSidedP: min(1, 2 * min(upper, 1 - upper)), medianUnbiasedEstimate: drift(whereTailIs: 0.5) * unit,
      interval: Interval(low: drift(whereTailIs: side) * unit, high: drift(whereTailIs: 1 - side) * unit))
  }

  /// Returns P(an outcome at least as high in the stage-wise order).
  private func tail(look: Int, z: Double, drift: Double) -> Double {
    var recursion = SequentialRecursion(drift: drift)
    var total = 0.0
    for earlier in 0..<look {
      total += recursion.above(bounds[earlier], at: looks[earlier])
      recursion.advance(to: looks[earlier], low: -bounds[earlier], high: bounds[earlier])
    }
    return total + recursion.above(z, at: looks[look])
  }
}

/// The inference about an effect after a group-sequential test has stopped.
public struct StoppedInference: Hashable, Sendable {
  /// Stage-wise.
  public var twoSidedP: Double
  public var medianUnbiasedEstimate: Double
  public var interval: Interval
}
