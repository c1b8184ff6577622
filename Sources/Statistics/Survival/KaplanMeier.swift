internal import Basics
internal import RealModule

/// The Kaplan–Meier estimate of survival from counts at distinct times:
///
///     S(t) = ∏ (n − d) / n over times up to t
///
/// with n at risk just before and d events at each. Subjects censored at a time are still at risk at it. Between two
/// censorings the product telescopes: S is the remaining share of those at risk after the earlier one, so that without
/// censoring S is the plain fraction, rounded once.
///
/// Source: Kaplan & Meier (1958), doi:10.1080/01621459.1958.10501452; Greenwood (1926) for the variance.
public struct KaplanMeier<Time: Comparable & Sendable>: Sendable {
  /// The events at one time, and the estimates right after it.
  public struct Step: Sendable {
    public var time: Time
    /// The number at risk just before `time`.
    public var atRisk: Int
    public var events: Int
    public var censored: Int
    /// S(t), a fraction of 1.
    public var survival: Double
    /// Greenwood's Σ d / (n(n − d)), the variance of ln S; `nil` once no one at risk is left.
    public var logVariance: Double?

    /// √V of S by Greenwood, S·√Σ; `nil` once no one at risk is left.
    public var standardError: Double? { logVariance.map { survival * $0.squareRoot() } }
  }

  /// One per time, in the given order.
  public let steps: [Step]

  /// - Parameters:
  ///   - times: Distinct and ascending.
  ///   - events: The number of events at each time.
  ///   - censored: The number last seen at each time, without the event.
  ///   - entered: The number at risk before the first time; default: all events and censored.
  public init(times: [Time], events: [Int], censored: [Int], entered: Int? = nil) {
    precondition(times.count == events.count && times.count == censored.count, "one count per time")
    var atRisk = entered ?? (events.reduce(0, +) + censored.reduce(0, +))
    var steps: [Step] = []
    steps.reserveCapacity(times.count)
    var stretch = Stretch(survival: 1, atRisk: atRisk)
    var logVariance: Double? = 0
    for index in times.indices {
      precondition(index == 0 || times[index - 1] < times[index], "times must be distinct and ascending")
      let (died, left) = (events[index], censored[index])
      precondition(died >= 0 && left >= 0 && died + left <= atRisk, "more leave than are at risk")
      if died > 0 {
        logVariance =
          died == atRisk ? nil : logVariance.map { $0 + Double(died) / Double(atRisk) / Double(atRisk - died) }
      }
      let survival = stretch.survival(with: atRisk - died)
      steps.append(
        Step(
          time: times[index], atRisk: atRisk, events: died, censored: left, survival: survival,
          logVariance: logVariance))
      atRisk -= died + left
      if left > 0 { stretch = Stretch(survival: survival, atRisk: atRisk) }
    }
    self.steps = steps
  }

  /// The run of times since the last censoring.
  private struct Stretch {
    var survival: Double
    var atRisk: Int

    func survival(with remaining: Int) -> Double {
      atRisk == 0 ? survival : survival * (Double(remaining) / Double(atRisk))
    }
  }

  /// Returns the step in effect at `time`; `nil` before the first.
  public func step(at time: Time) -> Step? {
    let next = steps.firstPlace { $0.time > time }
    return next == 0 ? nil : steps[next - 1]
  }

  /// Returns S at `time`; 1 before the first.
  public func survival(at time: Time) -> Double { step(at: time)?.survival ?? 1 }
}

extension KaplanMeier.Step {
  /// Returns the log–log interval of S, S^exp(±z·√Σ / |ln S|), which stays inside 0…1.
  ///
  /// - Returns: `nil` while S is 1 and once it is 0, where the transformation is undefined.
  public func logLogInterval(z: Double = normalQuantile975) -> Interval? {
    guard let logVariance, survival > 0, survival < 1 else { return nil }
    let logSurvival = Double.log(survival)
    let spread = Double.exp(z * logVariance.squareRoot() / -logSurvival)
    return Interval(low: Double.exp(logSurvival * spread), high: Double.exp(logSurvival / spread))
  }

  /// Returns the plain interval S ± z·S√Σ, cut to 0…1; `nil` from where S is 0.
  public func plainInterval(z: Double = normalQuantile975) -> Interval? {
    guard let standardError else { return nil }
    return Interval(low: max(0, survival - z * standardError), high: min(1, survival + z * standardError))
  }

  /// Returns the log interval S·exp(±z√Σ), cut at 1; `nil` from where S is 0.
  public func logInterval(z: Double = normalQuantile975) -> Interval? {
    guard let logVariance else { return nil }
    let spread = z * logVariance.squareRoot()
    return Interval(low: survival * Double.exp(-spread), high: min(1, survival * Double.exp(spread)))
  }
}

extension KaplanMeier where Time == Double {
  /// The median as in R's `quantile.survfit`: the middle of the interval where S is ½, if there is one.
  ///
  /// - Returns: `nil` if S stays above ½.
  public var midpointMedian: Double? { Self.median(of: steps.map { ($0.time, $0.survival) }) }

  /// Returns the median of a decreasing curve given at its times; skips values that are `nil`.
  public static func median(of curve: [(time: Double, value: Double?)]) -> Double? {
    // R's tolerance for "S equals ½".
    let slack = 1.490116e-08
    let known = curve.filter { $0.value != nil }
    guard let first = known.first(where: { $0.value! <= 0.5 + slack }) else { return nil }
    if let second = known.first(where: { $0.value! <= 0.5 - slack }) { return (first.time + second.time) / 2 }
    // The curve ends at ½: take the last time, unless the curve is undefined there.
    guard let last = curve.last, last.value != nil else { return nil }
    return (first.time + last.time) / 2
  }
}
