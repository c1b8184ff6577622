internal import EventModel
internal import Statistics

/// The forecasts of one row for one horizon, each as of an origin, with what is known of the money that followed.
struct BacktestSeries {
  /// A forecast made at an origin. Amounts are sums over the purchases.
  struct Point {
    /// Milliseconds.
    var origin: Int64
    /// The purchases active at the origin.
    var members: [OriginMember]
    /// The sum of their last payments, or of the first ones of new purchases, in ``ReportCurrency/parts``.
    var payments: Int128
    var forecast: OriginForecast.Horizon
    /// The last payments times the ratio of the newest earlier cohort whose money was known, in micro-units.
    var ratio: Double?
    /// The conformal interval, in micro-units.
    var interval: Interval?
    /// The number of scores known at the origin that the interval rests on, or would.
    var scores = 0
    var method = Method.none
    /// Why there is no interval.
    var reason: String?
    /// Money of the purchases within the horizon, as known at the first origin after it, in ``ReportCurrency/parts``.
    var settled: Int128?
    /// That money as known today.
    var actual: Int128?

    var purchases: Int { members.count }
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
  mutating func append(_ cohort: OriginLedger.Cohort, _ forecast: OriginForecast.Horizon, at origin: Int64) {
    var point = Point(
      origin: origin, members: target == .new ? cohort.new.members : cohort.members,
      payments: target == .new ? cohort.new.firstPayments : cohort.lastPayments, forecast: forecast)
    // An earlier cohort's money may not be known at the origin if it is the one just before.
    if let before = points.last(where: { $0.settled != nil }), let settled = before.settled, before.payments > 0 {
      point.ratio =
        Double(point.payments) / Double(before.payments) * Double(settled) / Double(ReportCurrency.parts)
    }
    points.append(point)
  }

  /// Gives the newest forecast the conformal interval that the scores known at its origin allow.
  mutating func setInterval(_ pool: ScorePool) {
    guard let place = points.indices.last, let predicted = points[place].forecast.predicted else { return }
    let own = level.halfWidth(scores)
    points[place].scores = own == nil ? pool.scores.count : scores.count
    guard let width = own ?? level.halfWidth(pool.scores) else {
      points[place].reason = pool.waiting(for: self)
      return
    }
    points[place].method = own == nil ? .pooled : .own
    if width < .infinity, predicted > 0 {
      points[place].interval = Interval(low: predicted * Double.exp(-width), high: predicted * Double.exp(width))
    } else {
      points[place].reason = "no range: \(predicted > 0 ? "earlier ones" : "this one") compare with no money"
    }
  }

  /// The instant from which the money of a point is known, in ms.
  func knownFrom(_ point: Point, grace: Int64) -> Int64 { point.origin + target.reach + grace }

  /// Takes in the money of points that is complete at an instant.
  ///
  /// - Parameter money: Returns the money of a point.
  mutating func settle(at instant: Int64, grace: Int64, _ money: (Point) throws -> Int128) rethrows {
    for place in points.indices where points[place].settled == nil {
      let point = points[place]
      guard knownFrom(point, grace: grace) <= instant else { break }
      let settled = try money(point)
      points[place].settled = settled
      guard let predicted = point.forecast.predicted else { continue }
      let actual = Double(settled) / Double(ReportCurrency.parts)
      scores.append(conformalScore(predicted: predicted, actual: actual))
      if let interval = point.interval { level.note(isMissed: !interval.contains(actual)) }
    }
  }

  /// Takes in the money of points as known at the end of the data.
  mutating func complete(at instant: Int64, grace: Int64, _ money: (Point) throws -> Int128) rethrows {
    for place in points.indices where knownFrom(points[place], grace: grace) <= instant {
      points[place].actual = try money(points[place])
    }
  }

  /// The scores that will be known at a later instant, if a forecast is made at every origin.
  func scores(knownAt instant: Int64, grace: Int64, _ step: OriginStep) -> Int {
    guard let last = points.last else { return 0 }
    let open = points.count {
      $0.settled == nil && $0.forecast.predicted != nil && knownFrom($0, grace: grace) <= instant
    }
    let future = step.origins(from: last.origin + 1, to: instant - target.reach - grace)
    return scores.count + open + future.count
  }
}
