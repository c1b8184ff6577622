/// Mean exposures per day, and the variance of that mean.
public struct Arrivals: Hashable, Sendable {
  /// V: the mean per day, over all arms.
  public var usersADay: Double
  /// Number of full days in the mean: 28 at most.
  public var days: Double
  /// s_V² = Σ(x − weekday mean)² ÷ (7·(weeks − 1)) ÷ days; `nil` below two whole weeks.
  public var variance: Double?

  /// Creates the mean of the last 28 full days or fewer, cut to whole weeks if there are at least two.
  ///
  /// - Parameter daily: Exposures of each full day, oldest first, without the days of the first and last exposure.
  /// - Returns: `nil` without a day.
  ///
  /// It implements D3.4.
  public init?(daily: [Double]) {
    guard !daily.isEmpty else { return nil }
    var count = min(28, daily.count)
    if count >= 14 { count -= count % 7 }
    let taken = Array(daily.suffix(count))
    days = Double(count)
    usersADay = taken.reduce(0, +) / days
    guard count >= 14 else { return }
    let weeks = count / 7
    var squares = 0.0
    for weekday in 0..<7 {
      let values = (0..<weeks).map { taken[weekday + 7 * $0] }
      let mean = values.reduce(0, +) / Double(weeks)
      squares += values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    }
    variance = squares / Double(7 * (weeks - 1)) / days
  }
}

/// The yearly amount of a difference of money per user, in its currency.
public struct AnnualImpact: Hashable, Sendable {
  /// A = 365·D·V.
  public var value: Double
  /// A ± 365·√{(V·c·se)² + (D·c·s_V)²}: the delta method for a product.
  public var interval: Interval

  public init(value: Double, interval: Interval) { (self.value, self.interval) = (value, interval) }

  /// - Parameters:
  ///   - difference: D, treatment minus control, per user; `standardError` is its standard error.
  ///   - critical: c of the rule that decides, in standard errors.
  /// - Returns: `nil` below 14 full days.
  ///
  /// It implements D6.7.
  public init?(difference: Double, standardError: Double, critical: Double, arrivals: Arrivals) {
    guard let variance = arrivals.variance else { return nil }
    let ofDifference = arrivals.usersADay * critical * standardError
    let ofArrivals = difference * critical * variance.squareRoot()
    let half = 365 * (ofDifference * ofDifference + ofArrivals * ofArrivals).squareRoot()
    value = 365 * difference * arrivals.usersADay
    interval = Interval(around: value, half: half)
  }
}
