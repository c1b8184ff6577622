internal import Statistics

/// How far a row's forecasts for one horizon were off, over its origins.
struct BacktestErrors {
  /// The fewest windows that do not overlap for an interval of the bias.
  private static let leastWindows = 3

  /// Forecasts whose money is known.
  let origins: Int
  /// Σ |predicted − actual| ÷ Σ actual; `nil` if nothing came.
  let mape: Double?
  /// Σ (predicted − actual) ÷ Σ actual.
  let bias: Double?
  /// The 95% interval of the bias.
  let biasInterval: Interval?
  /// Forecasts with an interval, and those whose money was inside.
  let (ranged, inside): (Int, Int)
  /// The errors of the two simple rules, and those of the model at the same origins.
  let continued: Compared
  let ratio: Compared
  let stateless: Compared
  /// The errors with and without open trials.
  let withTrials: Double?
  let withoutTrials: Double?

  /// Which was off least at the origins that have both: `forecast`, `last payments` or `cohort before`; empty if none can be
  /// compared.
  var closest: String {
    if mape == nil || (continued.rule == nil && ratio.rule == nil) { return "" }
    guard continued.isCloser || ratio.isCloser else { return "forecast" }
    guard continued.isCloser, ratio.isCloser, let one = continued.rule, let other = ratio.rule else {
      return continued.isCloser ? "last payments" : "cohort before"
    }
    return one <= other ? "last payments" : "cohort before"
  }

  struct Compared {
    var rule: Double?
    var model: Double?

    /// Whether the rule was closer than the model.
    var isCloser: Bool {
      guard let rule, let model else { return false }
      return rule < model
    }
  }

  private struct Outcome {
    var origin: Int64
    var predicted: Double
    var actual: Double
    var continued: Double?
    var ratio: Double?
    var stateless: Double?
    var withTrials: Double?
    var withoutTrials: Double?
    var isInside: Bool?
  }

  /// - Parameter age: The age of the purchases at their origins; `nil` for all. Errors by age are of the forecasts that all
  ///   have.
  init(_ series: BacktestSeries, _ age: AgeBand? = nil) {
    let outcomes = series.points.compactMap { point -> Outcome? in
      guard point.forecast.predicted != nil else { return nil }
      let takings: BacktestSeries.Takings? = age.map { point.ages[$0] } ?? point.all
      let forecast: OriginForecast.Horizon? = age.map { point.forecast.ages[$0] } ?? point.forecast
      guard let takings, let forecast, let predicted = forecast.predicted, let actual = takings.money else {
        return nil
      }
      return Outcome(
        origin: point.origin, predicted: predicted, actual: actual, continued: forecast.continued,
        ratio: takings.ratio, stateless: forecast.stateless, withTrials: forecast.withTrials ?? predicted,
        withoutTrials: forecast.withoutTrials ?? predicted, isInside: age == nil ? point.isInside : nil)
    }
    origins = outcomes.count
    mape = Self.error(outcomes) { $0.predicted }
    bias = Self.share(outcomes.map { $0.predicted - $0.actual }, outcomes)
    biasInterval = bias.flatMap { Self.interval($0, outcomes, horizon: series.target.reach) }
    ranged = outcomes.count { $0.isInside != nil }
    inside = outcomes.count { $0.isInside == true }
    func compared(_ rule: (Outcome) -> Double?) -> Compared {
      let common = outcomes.filter { rule($0) != nil }
      return Compared(rule: Self.error(common) { rule($0) ?? 0 }, model: Self.error(common) { $0.predicted })
    }
    continued = compared(\.continued)
    ratio = compared(\.ratio)
    stateless = compared(\.stateless)
    withTrials = compared(\.withTrials).rule
    withoutTrials = compared(\.withoutTrials).rule
  }

  private static func error(_ outcomes: [Outcome], _ forecast: (Outcome) -> Double) -> Double? {
    share(outcomes.map { abs(forecast($0) - $0.actual) }, outcomes)
  }

  /// Returns a sum as a share of the money that came.
  private static func share(_ parts: [Double], _ outcomes: [Outcome]) -> Double? {
    let money = outcomes.reduce(0) { $0 + $1.actual }
    return money > 0 ? parts.reduce(0, +) / money : nil
  }

  /// Returns the interval of the bias from origins whose windows do not overlap, each of which counts once: the residuals
  /// of a ratio by the delta method, with Student's t.
  ///
  /// Source: Cochran (1977), Sampling Techniques, 3rd ed., §6.4.
  private static func interval(_ bias: Double, _ outcomes: [Outcome], horizon: Int64) -> Interval? {
    var apart: [Outcome] = []
    for outcome in outcomes where apart.last.map({ $0.origin + horizon <= outcome.origin }) ?? true {
      apart.append(outcome)
    }
    let count = Double(apart.count)
    let money = apart.reduce(0) { $0 + $1.actual }
    guard apart.count >= leastWindows, money > 0 else { return nil }
    let residuals = apart.map { $0.predicted - $0.actual - bias * $0.actual }
    let mean = residuals.reduce(0, +) / count
    let variance = residuals.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
    let deviation = (count * variance).squareRoot() / money
    let width = StudentDistribution.criticalValue(confidence: 0.95, degrees: count - 1) * deviation
    return Interval(around: bias, half: width)
  }
}

extension BacktestSeries.Takings {
  /// The money as known today, in micro-units.
  var money: Double? { actual.map { Double($0) / Double(ReportCurrency.parts) } }
}

extension BacktestSeries.Point {
  /// Whether the money was inside the interval; `nil` if there is none, or the money is not known yet.
  var isInside: Bool? {
    guard let interval, let money = all.money else { return nil }
    return interval.contains(money)
  }
}
