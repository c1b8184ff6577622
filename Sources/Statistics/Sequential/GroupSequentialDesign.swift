internal import RealModule

/// Two-sided symmetric bounds for looks at growing information: crossing one ends the test.
public struct GroupSequentialDesign: Hashable, Sendable {
  /// Information fractions of the looks, ascending; the first at or above 1 is the last that can spend.
  public let looks: [Double]
  /// |z| to cross, one per look.
  public let bounds: [Double]
  /// Cumulative α spent, one per look.
  public let spent: [Double]

  /// Bounds above this are cut to it: their α is below 10⁻¹⁴.
  public static let highestBound = 8.0

  public init(looks: [Double], bounds: [Double], spent: [Double]) {
    self.looks = looks
    self.bounds = bounds
    self.spent = spent
  }

  /// Solves for the bounds that spend α by `spending`, look by look; each solve re-evaluates only the last integral.
  ///
  /// Over-run: the first look with fraction 1 or more spends the rest of α, with the true information.
  ///
  /// - Parameter looks: Ascending and above 0.
  ///
  /// Source: Lan & DeMets (1983), doi:10.1093/biomet/70.3.659; Jennison & Turnbull (2000), chapter 7.
  public init(looks: [Double], spending: SpendingFunction = .obrienFlemingEachSide, alpha: Double = 0.05) {
    var recursion = SequentialRecursion()
    var (bounds, spent, total) = ([Double](), [Double](), 0.0)
    for look in looks {
      precondition(look > recursion.time, "looks must be above 0 and ascending")
      let target = spending.spent(at: look, alpha: alpha)
      let share = max(0, target - total) / 2
      let bound = Self.bound(spending: share) { recursion.above($0, at: look) }
      bounds.append(bound)
      spent.append(target)
      total = target
      recursion.advance(to: look, low: -bound, high: bound)
    }
    self.init(looks: looks, bounds: bounds, spent: spent)
  }

  /// Returns the z whose exit probability is `share`.
  static func bound(spending share: Double, exit: (Double) -> Double) -> Double {
    var (low, high) = (0.0, highestBound)
    if exit(high) >= share { return high }
    while high - low > 1e-13 {
      let middle = (low + high) / 2
      if exit(middle) > share { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }

  /// Returns P(some |z| reaches its bound) if the mean of z at information 1 is `drift`: the size at 0, power
  /// elsewhere.
  public func crossingProbability(drift: Double = 0) -> Double {
    exitProbabilities(drift: drift).reduce(0) { $0 + $1.up + $1.down }
  }

  /// Returns the probability of first crossing at each look, above and below.
  public func exitProbabilities(drift: Double = 0) -> [(up: Double, down: Double)] {
    var recursion = SequentialRecursion(drift: drift)
    return zip(looks, bounds).map { look, bound in
      let exit = (recursion.above(bound, at: look), recursion.below(-bound, at: look))
      recursion.advance(to: look, low: -bound, high: bound)
      return exit
    }
  }

  /// Returns the type I error of reading |z| ≥ critical as significant at every one of several equally spaced looks.
  public static func peekingError(looks: Int, critical: Double) -> Double {
    constant(looks: looks, bounds: [Double](repeating: critical, count: looks)).crossingProbability()
  }

  /// Returns Pocock's design: one bound for all of several equally spaced looks.
  ///
  /// Source: Pocock (1977), doi:10.1093/biomet/64.2.191.
  public static func pocock(looks: Int, alpha: Double = 0.05) -> GroupSequentialDesign {
    solved(looks: looks, alpha: alpha) { _ in 1 }
  }

  /// Returns O'Brien & Fleming's design: bounds c·√(K/k) at equally spaced looks.
  ///
  /// Source: O'Brien & Fleming (1979), doi:10.2307/2530245.
  public static func obrienFleming(looks: Int, alpha: Double = 0.05) -> GroupSequentialDesign {
    solved(looks: looks, alpha: alpha) { look in (Double(looks) / Double(look)).squareRoot() }
  }

  private static func constant(looks: Int, bounds: [Double]) -> GroupSequentialDesign {
    precondition(looks >= 1, "looks is \(looks), but must be at least 1")
    return GroupSequentialDesign(
      looks: (1...looks).map { Double($0) / Double(looks) }, bounds: bounds, spent: [])
  }

  /// Finds the multiple of a shape of bounds that gives the size α, by the secant method in its logarithm.
  private static func solved(looks: Int, alpha: Double, shape: (Int) -> Double) -> GroupSequentialDesign {
    func design(_ multiple: Double) -> GroupSequentialDesign {
      constant(looks: looks, bounds: (1...looks).map { multiple * shape($0) })
    }
    func miss(_ multiple: Double) -> Double { Double.log(design(multiple).crossingProbability() / alpha) }
    let found = design(secantRoot(from: 2, 2.4, tolerance: 1e-13, within: { min(10, max(0.1, $0)) }, of: miss))
    var total = 0.0
    let spent = found.exitProbabilities().map { exit in
      total += exit.up + exit.down
      return total
    }
    return GroupSequentialDesign(looks: found.looks, bounds: found.bounds, spent: spent)
  }
}
