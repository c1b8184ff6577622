internal import Statistics

/// A number on both sides, with what chance alone makes of the difference; implements definitions 9.5 and 9.6.
struct ComparedNumber {
  enum Method: String {
    case proportions = "miettinen_nurminen"
    case binomial
    case normal
    case welch
    /// Two estimates with Greenwood's variances; p on the scale ln(−ln(1 − F)).
    case greenwood
    /// Two amounts with the variances of their resamples.
    case bootstrap
    /// Without a test.
    case none = ""
  }

  var change: Double?
  var interval: Interval?
  var lift: Double?
  var liftInterval: Interval?
  var p: Double?
  /// The units behind each side.
  var beforeCount: Int?
  var nowCount: Int?
  var method = Method.none
  /// Why there is no test, in words; empty if there is one.
  var reason = ""

  /// A rate k ÷ n: the Miettinen–Nurminen difference and the score interval of the ratio, with the p of the same test.
  init(before: (part: Int, whole: Int), now: (part: Int, whole: Int)) {
    (beforeCount, nowCount, method) = (before.whole, now.whole, .proportions)
    guard before.whole > 0, now.whole > 0 else {
      reason = before.whole > 0 ? "nothing to divide by now" : "nothing to divide by before"
      return
    }
    let (own, other) = (
      Proportion(successes: Double(now.part), trials: Double(now.whole)),
      Proportion(successes: Double(before.part), trials: Double(before.whole))
    )
    let (share, earlier) = (own.successes / own.trials, other.successes / other.trials)
    change = share - earlier
    interval = miettinenNurminenDifference(own, other)
    p = miettinenNurminenTest(own, other)?.twoSidedP
    if p == nil { reason = "every unit has the same outcome" }
    if earlier > 0 { lift = share / earlier - 1 }
    if let ratio = scoreRatio(own, other) { liftInterval = Interval(low: ratio.low - 1, high: ratio.high - 1) }
  }

  /// A sum over users: each user's amount now less before is one observation.
  ///
  /// If every amount is 0 or 1 and no user is on both sides, the sums are counts of events, and the test is exact: given
  /// both together, the later count is binomial.
  ///
  /// - Parameters:
  ///   - amounts: The amounts before and now, a pair for each user.
  ///   - scale: The factor for the amounts before: days of now ÷ days of before.
  init(amounts: some Sequence<(before: Double, now: Double)>, scale: Double) {
    var (before, now) = (Moment(), Moment())
    var squares = 0.0
    var isOfEvents = true
    for pair in amounts {
      let earlier = pair.before * scale
      before.add(earlier)
      now.add(pair.now)
      squares += (pair.now - earlier) * (pair.now - earlier)
      isOfEvents = isOfEvents && pair.before * pair.now == 0 && [0, 1].contains(pair.before + pair.now)
    }
    self.init(before: before, now: now, squares: squares, isOfEvents: isOfEvents, scale: scale)
  }

  /// Counts of users who are each on one side, once.
  init(before: Int, now: Int, scale: Double) {
    let (earlier, own) = (Double(before), Double(now))
    self.init(
      before: Moment(sum: earlier * scale, count: before), now: Moment(sum: own, count: now),
      squares: earlier * scale * scale + own, isOfEvents: true, scale: scale)
  }

  /// A mean over units: Welch's test, and Fieller's interval of the lift at its critical value.
  init(before: Moments, now: Moments) {
    (beforeCount, nowCount, method) = (Int(before.count), Int(now.count), .welch)
    guard let mean = now.mean, let earlier = before.mean else {
      reason = before.count > 0 ? "nothing to divide by now" : "nothing to divide by before"
      return
    }
    change = mean - earlier
    if earlier > 0 { lift = mean / earlier - 1 }
    guard let own = MeanArm(now), let other = MeanArm(before), let test = welchTest(own, other) else {
      reason = "fewer than two on a side, or nothing varies"
      return
    }
    (interval, p) = (test.interval, test.twoSidedP)
    liftInterval = fiellerLift(own.estimate, other.estimate, critical: test.critical).interval
  }

  /// An estimated share: the difference with the sum of the two variances, and p on the scale of ``Method/greenwood``.
  ///
  /// - Parameters:
  ///   - before: F, the share that has had the event, and its variance.
  ///   - now: As before.
  init(
    _ share: EstimatedShare, before: (incidence: Double, variance: Double), now: (incidence: Double, variance: Double)
  ) {
    method = .greenwood
    let test = FixedHorizonDifference(treatment: now, control: before)
    let isOfEvents = share == .incidence
    let difference = isOfEvents ? test.difference : -test.difference
    let earlier = isOfEvents ? before.incidence : 1 - before.incidence
    change = difference
    if earlier > 0 { lift = difference / earlier }
    guard let p = test.pCloglog else {
      reason = "all or none on a side: the estimate has no variance"
      return
    }
    self.p = p
    let error = normalQuantile975 * test.standardError
    interval = Interval(around: difference, half: error)
  }

  /// An amount that each side estimates from users of its own: the normal law, with the sum of the two variances.
  init(before: (amount: Double, variance: Double), now: (amount: Double, variance: Double)) {
    method = .bootstrap
    let difference = now.amount - before.amount
    change = difference
    if before.amount > 0 { lift = difference / before.amount }
    let error = (before.variance + now.variance).squareRoot()
    guard error > 0 else {
      reason = "the estimates have no variance"
      return
    }
    p = NormalDistribution.twoSidedP(difference / error)
    interval = Interval(around: difference, half: normalQuantile975 * error)
  }

  /// A sum over apps, whose users differ, so that changes and variances add up.
  ///
  /// - Parameter before: The sum before, scaled to the days of now.
  /// - Returns: `nil` if the change of one is not known, or its error.
  init?(sumOf numbers: [ComparedNumber], before: Double) {
    method = .normal
    var (sum, variance) = (0.0, 0.0)
    for number in numbers {
      guard let change = number.change, number.interval != nil || change == 0 else { return nil }
      let error = number.interval.map { ($0.high - $0.low) / 2 / normalQuantile975 } ?? 0
      (sum, variance) = (sum + change, variance + error * error)
    }
    change = sum
    if before > 0 { lift = sum / before }
    beforeCount = numbers.reduce(0) { $0 + ($1.beforeCount ?? 0) }
    nowCount = numbers.reduce(0) { $0 + ($1.nowCount ?? 0) }
    guard variance > 0 else {
      reason = "no user's amount changed"
      return
    }
    let error = variance.squareRoot()
    interval = Interval(around: sum, half: normalQuantile975 * error)
    if before > 0, let interval { liftInterval = Interval(low: interval.low / before, high: interval.high / before) }
    p = NormalDistribution.twoSidedP(sum / error)
  }

  /// A number without a test: the change alone.
  init(before: Double?, now: Double?, reason: String) {
    if let before, let now {
      change = now - before
      if before > 0 { lift = now / before - 1 }
    }
    self.reason = reason
  }

  private struct Moment {
    var sum = 0.0
    /// Users with an amount.
    var count = 0

    mutating func add(_ amount: Double) {
      sum += amount
      if amount != 0 { count += 1 }
    }
  }

  /// - Parameter squares: Σx² over users, x the amount now less the scaled one before.
  private init(before: Moment, now: Moment, squares: Double, isOfEvents: Bool, scale: Double) {
    (beforeCount, nowCount) = (before.count, now.count)
    method = isOfEvents ? .binomial : .normal
    let difference = now.sum - before.sum
    change = difference
    if before.sum > 0 { lift = difference / before.sum }
    guard squares > 0 else {
      reason = before.count + now.count > 0 ? "no user's amount changed" : "nothing on either side"
      return
    }
    let error = squares.squareRoot()
    interval = Interval(around: difference, half: normalQuantile975 * error)
    if isOfEvents {
      let all = Double(before.count + now.count)
      // The share of now's days: days_now ÷ (days_now + days_before).
      let law = BinomialDistribution(trials: all, probability: scale / (1 + scale))
      p = min(1, 2 * min(law.cdf(Double(now.count)), law.upperTail(Double(now.count))))
      if let share = clopperPearsonInterval(Proportion(successes: Double(now.count), trials: all)) {
        func ratio(_ share: Double) -> Double { share < 1 ? share / (1 - share) / scale : .infinity }
        liftInterval = Interval(low: ratio(share.low) - 1, high: ratio(share.high) - 1)
      }
    } else {
      p = NormalDistribution.twoSidedP(difference / error)
    }
  }
}
