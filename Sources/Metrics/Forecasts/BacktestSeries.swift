internal import Statistics

/// The forecasts of one row for one horizon, each as of an origin, with what is known of the money that followed.
struct BacktestSeries {
  /// A forecast made at an origin. Amounts are sums over the purchases.
  struct Point {
    /// Milliseconds.
    var origin: Int64
    /// The purchases active at the origin, or new.
    var members: [OriginMember]
    /// The trials open at the origin; none beside new purchases.
    var trials: [OpenTrial]
    var forecast: OriginForecast.Horizon
    var all: Takings
    /// By age; empty for new purchases.
    var ages: [AgeBand: Takings]
    /// The conformal interval, in micro-units.
    var interval: Interval?
    /// The number of scores known at the origin that the interval rests on, or would.
    var scores = 0
    var method = Method.none
    /// Why there is no interval.
    var reason: String?

    /// Active or in trial.
    var purchases: Int { members.count + trials.count }
  }

  /// Payments of purchases before the origin, and their money after it.
  struct Takings {
    /// The sum of their last payments, or of the first ones of new purchases, in ``ReportCurrency/parts``.
    var payments: Int128
    /// The payments times the ratio of the newest earlier cohort whose money was known, in micro-units.
    var ratio: Double?
    /// Money of the purchases within the horizon, as known at the first origin after it, in ``ReportCurrency/parts``.
    var settled: Int128?
    /// That money as known today.
    var actual: Int128?

    /// - Parameter before: The cohorts before, the newest first. The one just before is mostly not known yet.
    init(_ payments: Int128, after before: some Sequence<Takings>) {
      self.payments = payments
      guard let known = before.first(where: { $0.settled != nil }), let settled = known.settled, known.payments > 0
      else {
        return
      }
      ratio = Double(payments) / Double(known.payments) * Double(settled) / Double(ReportCurrency.parts)
    }
  }

  /// The forecasts whose errors an interval rests on.
  enum Method: String {
    case none
    /// Those of the row.
    case own
    /// Those of all rows of the app.
    case pooled
  }

  let target: ForecastTarget
  private(set) var points: [Point] = []
  private(set) var level = ConformalLevel()
  /// The scores of the points whose money is known, in order of their origins.
  private(set) var scores: [Double] = []

  init(_ target: ForecastTarget) { self.target = target }

  /// Adds a forecast at an origin after the previous ones.
  mutating func append(
    _ cohort: OriginLedger.Cohort, _ trials: [OpenTrial], _ forecast: OriginForecast.Horizon, at origin: Int64
  ) {
    var forecast = forecast
    forecast.decide(keepsTrials: keepsTrials)
    let before = points.lazy.reversed()
    let ages = forecast.ages.keys.map { age in
      (age, Takings(cohort.ages[age]?.lastPayments ?? 0, after: before.compactMap { $0.ages[age] }))
    }
    points.append(
      Point(
        origin: origin, members: target == .new ? cohort.new.members : cohort.members,
        trials: target == .new ? [] : trials, forecast: forecast,
        all: Takings(
          target == .new ? cohort.new.firstPayments : cohort.active.lastPayments, after: before.map(\.all)),
        ages: Dictionary(uniqueKeysWithValues: ages)))
  }

  /// Whether open trials have a forecast: unless earlier ones, of which the money is known, were off less without it.
  private var keepsTrials: Bool {
    var (with, without) = (0.0, 0.0)
    for point in points {
      let forecast = point.forecast
      guard let settled = point.all.settled, let one = forecast.withTrials, let other = forecast.withoutTrials else {
        continue
      }
      let money = Double(settled) / Double(ReportCurrency.parts)
      with += abs(one - money)
      without += abs(other - money)
    }
    return with <= without
  }

  /// Gives the newest forecast the conformal interval that the scores known at its origin allow.
  mutating func setInterval(_ pool: ScorePool) {
    guard let place = points.indices.last, let predicted = points[place].forecast.predicted else { return }
    let range = range(around: predicted, pool)
    (points[place].interval, points[place].scores, points[place].method) = range
    if range.method == .none {
      points[place].reason = pool.waiting(for: self)
    } else if range.interval == nil {
      points[place].reason = "no range: \(predicted > 0 ? "earlier ones" : "this one") compare with no money"
    }
  }

  /// Returns the conformal interval of a forecast by the scores known so far, and how many those are.
  func range(around predicted: Double, _ pool: ScorePool) -> (interval: Interval?, scores: Int, method: Method) {
    let own = level.halfWidth(scores)
    let known = own == nil ? pool.scores.count : scores.count
    guard let width = own ?? level.halfWidth(pool.scores) else { return (nil, known, .none) }
    let method = own == nil ? Method.pooled : .own
    guard width < .infinity, predicted > 0 else { return (nil, known, method) }
    return (Interval(low: predicted * Double.exp(-width), high: predicted * Double.exp(width)), known, method)
  }

  /// The instant from which the money of a point is known, in ms.
  func knownFrom(_ point: Point, grace: Int64) -> Int64 { point.origin + target.reach + grace }

  /// Takes in the money of points that is complete at an instant.
  ///
  /// - Parameter sums: Returns the money of a point by age.
  mutating func settle(at instant: Int64, grace: Int64, _ sums: (Point) throws -> [AgeBand: Int128]) rethrows {
    for place in points.indices where points[place].all.settled == nil {
      let point = points[place]
      guard knownFrom(point, grace: grace) <= instant else { break }
      let settled = try points[place].take(sums(point), \.settled)
      guard let predicted = point.forecast.predicted else { continue }
      let actual = Double(settled) / Double(ReportCurrency.parts)
      scores.append(conformalScore(predicted: predicted, actual: actual))
      if let interval = point.interval { level.note(isMissed: !interval.contains(actual)) }
    }
  }

  /// Takes in the money of points as known at the end of the data.
  mutating func complete(at instant: Int64, grace: Int64, _ sums: (Point) throws -> [AgeBand: Int128]) rethrows {
    for place in points.indices where knownFrom(points[place], grace: grace) <= instant {
      try points[place].take(sums(points[place]), \.actual)
    }
  }

  /// The scores that will be known at a later instant, if a forecast is made at every origin.
  func scores(knownAt instant: Int64, grace: Int64, _ step: OriginStep) -> Int {
    guard let last = points.last else { return 0 }
    let open = points.count {
      $0.all.settled == nil && $0.forecast.predicted != nil && knownFrom($0, grace: grace) <= instant
    }
    let future = step.origins(from: last.origin + 1, to: instant - target.reach - grace)
    return scores.count + open + future.count
  }
}

extension BacktestSeries.Point {
  /// Takes in money by age, and returns the sum.
  @discardableResult
  fileprivate mutating func take(
    _ sums: [AgeBand: Int128], _ field: WritableKeyPath<BacktestSeries.Takings, Int128?>
  ) -> Int128 {
    let sum = sums.values.reduce(0, +)
    all[keyPath: field] = sum
    for age in ages.keys { ages[age]?[keyPath: field] = sums[age] ?? 0 }
    return sum
  }
}
