/// Count, mean and central sums of squares and cubes, in a form that merges exactly in any order.
///
/// Never computed from Σx²: with values near 10⁹, Σx² − (Σx)²/n gives a variance of 0.
///
/// Source: Welford (1962); Chan, Golub & LeVeque (1983); Pébay (2008) for the third moment.
public struct Moments: Hashable, Sendable {
  public private(set) var count: Double = 0
  private var sum = CompensatedSum()
  /// The mean so far, around which squares and cubes are taken.
  private var centre: Double = 0
  /// The rounding error of `centre`: with a mean of 10⁶ and a deviation of 10 it would otherwise show in the last
  /// digit.
  private var centreRest: Double = 0
  /// Σ(x − mean)².
  private var squares: Double = 0
  /// Σ(x − mean)³; `nil` if it was not recorded.
  private var cubes: Double? = 0

  public init() {}

  public init(_ values: some Sequence<Double>) {
    for value in values { add(value) }
  }

  /// - Parameters:
  ///   - sum: Σx.
  ///   - sumOfSquares: Σx²; imprecise if the mean is large compared with the spread.
  public init(count: Double, sum: Double, sumOfSquares: Double) {
    self.count = count
    self.sum.add(sum)
    centre = count == 0 ? 0 : sum / count
    squares = count == 0 ? 0 : max(0, sumOfSquares - sum * centre)
    cubes = nil
  }

  public mutating func add(_ value: Double) {
    let before = count
    count += 1
    sum.add(value)
    let delta = value - centre - centreRest
    let step = delta / count
    let product = delta * step * before
    moveCentre(by: step)
    cubes = cubes.map { $0 + product * step * (count - 2) - 3 * step * squares }
    squares += product
  }

  /// Merges another group, as if its values were added one by one.
  public mutating func merge(_ other: Moments) {
    guard other.count > 0 else { return }
    guard count > 0 else {
      self = other
      return
    }
    let total = count + other.count
    let delta = other.centre - centre + (other.centreRest - centreRest)
    let (own, its) = (count / total, other.count / total)
    if let mine = cubes, let theirs = other.cubes {
      cubes =
        mine + theirs + delta * delta * delta * count * its * (own - its)
        + 3 * delta * (own * other.squares - its * squares)
    } else {
      cubes = nil
    }
    squares += other.squares + delta * delta * count * its
    moveCentre(by: delta * its)
    sum.add(other.sum)
    count = total
  }

  private mutating func moveCentre(by step: Double) {
    let sum = centre + (centreRest + step)
    centreRest += step - (sum - centre)
    centre = sum
  }

  /// The mean; `nil` without values.
  public var mean: Double? { count == 0 ? nil : sum.value / count }

  /// The rounding error of the mean.
  var meanRest: Double {
    guard let mean else { return 0 }
    return sum.less(mean, times: count) / count
  }

  /// The variance with n − 1; `nil` with fewer than two values.
  public var variance: Double? { count < 2 ? nil : squares / (count - 1) }

  public var standardDeviation: Double? { variance?.squareRoot() }

  /// The variance of the mean, s²/n.
  public var varianceOfMean: Double? { variance.map { $0 / count } }

  public var standardError: Double? { varianceOfMean?.squareRoot() }

  /// m₃, the mean of (x − mean)³; `nil` without values or if it was not recorded.
  public var thirdMoment: Double? { count == 0 ? nil : cubes.map { $0 / count } }

  /// g₁ = m₃ / m₂^1.5; `nil` if nothing varies or the third moment was not recorded.
  public var skewness: Double? {
    guard squares > 0, let cubes else { return nil }
    let spread = squares / count
    return cubes / count / (spread * spread.squareRoot())
  }

  /// 355·g₁²: the number of values that a mean needs before its interval may be read as normal.
  ///
  /// Source: Kohavi, Deng, Longbotham & Xu (2014), "Seven rules of thumb for web site experimenters".
  public var leastCountForNormalMean: Double? { skewness.map { 355 * $0 * $0 } }

  /// The variance of the mean under Poisson(1) weights, to first order in 1/n: Σ(x − x̄)²/n².
  ///
  /// Source: Chamandy et al. (2012), "Estimating uncertainty for massive data streams".
  public var poissonBootstrapVariance: Double? { count == 0 ? nil : squares / count / count }
}
