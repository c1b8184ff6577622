internal import Statistics

/// How far the forecasts of an app's rows for one horizon were off, as known at an instant: rows with too few outcomes of
/// their own share them.
struct ScorePool {
  /// The most origins to look ahead.
  private static let mostSteps = 60

  private(set) var scores: [Double]
  private let instant: Int64
  private let grace: Int64
  private let step: OriginStep
  /// The number of scores that will be known at each later origin, the next one first.
  private let later: [Int]

  init(_ series: [BacktestSeries], at instant: Int64, grace: Int64, _ step: OriginStep) {
    (self.instant, self.grace, self.step) = (instant, grace, step)
    scores = series.flatMap(\.scores)
    later = (1...Self.mostSteps).map { steps in
      let then = step.origin(steps, after: instant)
      return series.reduce(0) { $0 + $1.scores(knownAt: then, grace: grace, step) }
    }
  }

  /// Returns when a row will have an interval, such as "needs 3 more months".
  func waiting(for series: BacktestSeries) -> String {
    let fewest = series.level.fewestScores
    let needed = later.indices.first { place in
      later[place] >= fewest
        || series.scores(knownAt: step.origin(place + 1, after: instant), grace: grace, step) >= fewest
    }
    guard let needed else { return "needs more than \(later.count) more \(step.rawValue)s" }
    return "needs \(needed + 1) more \(step.rawValue)\(needed == 0 ? "" : "s")"
  }
}
