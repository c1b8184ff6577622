internal import Statistics

/// Times until something happened, until it no longer can, or until they were last observed, in ms from one start each.
struct CompetingTimes {
  private(set) var happened: [Int64] = []
  private(set) var missed: [Int64] = []
  private(set) var censored: [Int64] = []

  var count: Int { happened.count + missed.count + censored.count }

  /// Adds one: it happened, or was missed, or is still open at the end of the data.
  mutating func add(happenedAfter time: Int64) { happened.append(time) }
  mutating func add(missedAfter time: Int64) { missed.append(time) }
  mutating func add(openAfter time: Int64) { censored.append(time) }

  mutating func add(_ other: CompetingTimes) {
    happened += other.happened
    missed += other.missed
    censored += other.censored
  }

  /// The cause of what happened, in ``curve(_:)``.
  static let cause = 0

  /// Returns the Aalen–Johansen estimate. Ends at a time come before censorings at that time, because censored ones are
  /// still at risk.
  ///
  /// - Parameter onRise: Receives each time at which it happened, and the curve at it.
  func curve(_ onRise: (_ time: Int64, AalenJohansen) -> Void = { _, _ in }) -> AalenJohansen {
    var curve = AalenJohansen(atRisk: count, causes: 2)
    let happened = sortedTimes(happened)
    let missed = sortedTimes(missed)
    let censored = sortedTimes(censored)
    var (a, b, c) = (0, 0, 0)
    while a < happened.count || b < missed.count || c < censored.count {
      let time = min(
        a < happened.count ? happened[a] : .max, b < missed.count ? missed[b] : .max,
        c < censored.count ? censored[c] : .max)
      let risen = passTimes(happened, &a, equalTo: time)
      if risen > 0 { curve.end(risen, cause: Self.cause) }
      let over = passTimes(missed, &b, equalTo: time)
      if over > 0 { curve.end(over, cause: 1) }
      if risen > 0 { onRise(time, curve) }
      let left = passTimes(censored, &c, equalTo: time)
      if left > 0 { curve.censor(left) }
    }
    return curve
  }
}

extension ReportValue {
  /// Returns the end of a curve of ``CompetingTimes`` with Wilson's interval at its effective number of trials; at an
  /// incidence of 0 or 1, at the number of matured ones; then the estimate's variance; implements definitions 4.6.
  static func incidence(_ curve: AalenJohansen, matured: Int) -> [ReportValue] {
    let rate = curve.incidence(of: CompetingTimes.cause)
    let trials = curve.effectiveTrials(of: CompetingTimes.cause) ?? Double(matured)
    let interval = wilsonInterval(successes: min(trials, rate * trials), trials: trials)
    return [
      .rate(rate), .rate(interval?.low), .rate(interval?.high), .number(curve.variance(of: CompetingTimes.cause)),
    ]
  }
}
