internal import RealModule

/// An asymptotic confidence sequence: an interval that may be looked at at any time.
///
/// Tuned to be tightest at `plannedUnits`, which must be frozen at the start:
///
///     ρ² = (−2 ln α + ln(1 − 2 ln α)) / N*
///     half-width = se·√{(1 + 1/(nρ²))·ln((nρ² + 1)/α²)},   n = n₁ + n₀
///     ln E = ρ²S²/(2(nρ² + 1)) − ½ ln(nρ² + 1),   S² = n·(estimate/se)²
///
/// Valid only asymptotically: withhold it until ``isReady(_:_:)``. Store the running minimum of p, but show the current
/// interval, not the running intersection, which assumes a constant effect and can become empty.
///
/// Source: Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024), doi:10.1214/24-AOS2408, arXiv 2103.06476v7 eq. 9,
/// 155, 161; 134 for one side.
public struct AsymptoticSequence: Hashable, Sendable {
  public let alpha: Double
  /// N*: the size at which the sequence is tightest; 5,000 if nothing is planned.
  public let plannedUnits: Double

  /// - Precondition: `plannedUnits` above 0, `alpha` in (0, 1).
  public init(plannedUnits: Double = 5_000, alpha: Double = 0.05) {
    precondition(plannedUnits > 0, "plannedUnits is \(plannedUnits), but must be above 0")
    precondition(alpha > 0 && alpha < 1, "alpha is \(alpha), but must be in (0, 1)")
    self.alpha = alpha
    self.plannedUnits = plannedUnits
  }

  /// Returns whether an arm is large enough for an asymptotic statement: 50 users, of them 10 with and 10 without the
  /// outcome.
  ///
  /// For money, the paying users are those with the outcome and `without` is `nil`.
  ///
  /// Without this start, from the first user on, it errs in 6.7% of A/A tests at N* = 100, p = 0.3; with it in 3.2%.
  /// It implements D2.3.
  public static func isReady(users: Double, with outcomes: Double, without: Double?) -> Bool {
    users >= Double(leastUsers) && outcomes >= Double(leastOutcomes) && (without ?? .infinity) >= Double(leastOutcomes)
  }

  /// The least users of an arm for ``isReady(users:with:without:)``.
  public static let leastUsers = 50
  /// The least users of an arm with the outcome, and without it.
  public static let leastOutcomes = 10

  /// Returns whether both arms are large enough by ``isReady(users:with:without:)``.
  public static func isReady(_ treatment: Proportion, _ control: Proportion) -> Bool {
    [treatment, control].allSatisfy { isReady(users: $0.trials, with: $0.successes, without: $0.failures) }
  }

  /// ρ.
  public var rho: Double { Self.squaredRho(alpha: alpha, plannedUnits: plannedUnits).squareRoot() }

  private static func squaredRho(alpha: Double, plannedUnits: Double) -> Double {
    let twice = -2 * Double.log(alpha)
    return (twice + Double.log(onePlus: twice)) / plannedUnits
  }

  /// Returns the boundary at n units, in standard errors; n above 0; implements D2.1.
  ///
  /// - Parameter level: The level, if it is not the α that tunes ρ: α/(k − 1) for k − 1 treatments, so that intervals
  ///   and p come from one sequence.
  public func criticalValue(units n: Double, alpha level: Double? = nil) -> Double {
    let scale = n * Self.squaredRho(alpha: alpha, plannedUnits: plannedUnits)
    return ((1 + 1 / scale) * (Double.log(onePlus: scale) - 2 * Double.log(level ?? alpha))).squareRoot()
  }

  /// Returns the one-sided boundary at level α, with ρ tuned at 2α.
  public func oneSidedCriticalValue(units n: Double) -> Double {
    let scale = n * Self.squaredRho(alpha: min(1, 2 * alpha), plannedUnits: plannedUnits)
    let inner = 1 + (scale + 1).squareRoot() / (2 * alpha)
    return (2 * (1 + 1 / scale) * Double.log(inner)).squareRoot()
  }

  /// Returns the sequence's look at an estimate.
  ///
  /// - Parameters:
  ///   - units: n₁ + n₀.
  ///   - level: The α of the interval, if it is not the one that tunes ρ; p does not depend on it.
  /// - Returns: `nil` if the standard error is 0: nothing has varied yet.
  public func look(
    estimate: Double, standardError: Double, units: Double, alpha level: Double? = nil
  ) -> AsymptoticLook? {
    guard standardError > 0, units > 0 else { return nil }
    let scale = units * Self.squaredRho(alpha: alpha, plannedUnits: plannedUnits)
    let z = estimate / standardError
    let logE = scale / (scale + 1) * z * z / 2 - Double.log(onePlus: scale) / 2
    let critical = criticalValue(units: units, alpha: level)
    let half = standardError * critical
    return AsymptoticLook(
      estimate: estimate, standardError: standardError, criticalValue: critical, halfWidth: half,
      interval: Interval(around: estimate, half: half), logEValue: logE,
      p: min(1, Double.exp(-logE)), oneSidedHalfWidth: standardError * oneSidedCriticalValue(units: units))
  }

  /// Returns the sequence's look at a difference of proportions, each arm with its own variance p(1 − p)/n.
  ///
  /// - Returns: `nil` if an arm has no trials, or nothing has varied yet.
  public func look(_ treatment: Proportion, _ control: Proportion) -> AsymptoticLook? {
    guard let p1 = treatment.estimate, let p0 = control.estimate else { return nil }
    let variance =
      p1 * (treatment.failures / treatment.trials) / treatment.trials
      + p0 * (control.failures / control.trials) / control.trials
    return look(
      estimate: p1 - p0, standardError: variance.squareRoot(), units: treatment.trials + control.trials)
  }
}

/// One look at an asymptotic confidence sequence.
public struct AsymptoticLook: Hashable, Sendable {
  public var estimate: Double
  public var standardError: Double
  /// In standard errors.
  public var criticalValue: Double
  public var halfWidth: Double
  public var interval: Interval
  public var logEValue: Double
  /// min(1, 1/E) of this look; the always-valid p is the smallest so far.
  public var p: Double
  public var oneSidedHalfWidth: Double
}
