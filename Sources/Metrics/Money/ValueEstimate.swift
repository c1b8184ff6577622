internal import EventModel
internal import Statistics

/// The expected value of a row's viewer over each number of months, with a bootstrap interval.
///
///     V(m) = Σ over plans of (Σ first payments + buyers · renewal price · Σ_{n=2}^{N(m)} S(n)) ÷ viewers
///
/// N(m) is the number of the plan's payments due in the first m months from the first payment. The bootstrap draws
/// first payments, and the buyers whose renewals make the renewal price, by Poisson weights (Chamandy et al. 2012), and
/// the number of renewals by binomial draws with a new fit each.
struct ValueEstimate {
  /// The longest horizon in months.
  static let months = 24
  static let resamples = 499
  /// The least number of buyers for an interval.
  static let leastBuyers = 5

  /// One plan of a row.
  struct Part {
    var plan: Plan
    /// The remainders of first payments in micro-units, with the number of each.
    var firstPayments: [(amount: Double, count: Int)]
    /// The remainder of a later payment, in micro-units.
    var renewalPrice: Double
    var survival: PlanSurvival
    /// The sum of the shares of payments 2 to n, for n = 1, 2, …, in each resample.
    var resampledSums: [[Double]]
    /// The renewals that ``renewalPrice`` is the mean of; empty if it is taken from elsewhere, and then fixed.
    var renewals: [Renewals] = []

    var buyers: Int { firstPayments.reduce(0) { $0 + $1.count } }
  }

  /// The renewals of buyers with equal sums, in micro-units, and equal numbers of renewals.
  struct Renewals {
    var sum: Double
    var count: Double
    var buyers: Int

    init(_ mean: ValueRows.Mean, buyers: Int) {
      sum = Double(mean.sum) / Double(ReportCurrency.parts)
      count = Double(mean.count)
      self.buyers = buyers
    }

    /// Returns the mean of all renewals, in micro-units, where `weight` stands for a number of buyers; `nil` of none.
    static func meanPrice(_ all: [Renewals], weight: (Int) -> Double) -> Double? {
      var (sum, count) = (0.0, 0.0)
      for renewals in all {
        let weight = weight(renewals.buyers)
        sum += weight * renewals.sum
        count += weight * renewals.count
      }
      return count > 0 ? sum / count : nil
    }
  }

  /// Values in micro-units by month from 1. `nil` from the month in which a plan's renewals are unknown, and where its
  /// fit is at its boundary (definitions 7.6).
  let values: [Double?]
  let bases: [ValueBasis?]
  /// Values by resample, then month; empty without enough buyers.
  let resampled: [[Double?]]
  /// Plans with an unknown value, each with the first month affected.
  private(set) var unknown: [(plan: Plan, month: Int)] = []
  /// Whether there are buyers, but too few for an interval.
  let hasTooFewBuyers: Bool
  /// Plans whose fit is at its boundary, where values have no point estimate.
  private(set) var atBoundary: [(plan: Plan, fit: RetentionFit)] = []

  /// - Parameter viewers: Matured viewers, with and without a purchase.
  init(_ parts: [Part], viewers: Int, _ generator: CounterGenerator) {
    let sums = parts.map(\.survival.renewalSums)
    let own = parts.map { part in Weighted(part) { Double(part.firstPayments[$0].count) } }
    let buyers = parts.reduce(0) { $0 + $1.buyers }
    let matters = parts.map { RenewalSupport.counts($0.buyers, of: buyers) }
    // The number of known payments of each plan.
    let limits = zip(parts, matters).map { $0.survival.knownPayments(matters: $1) }
    // A prediction needs an interval.
    hasTooFewBuyers = (1..<Self.leastBuyers).contains(buyers)
    func isKnown(_ month: Int) -> Bool {
      zip(parts, limits).allSatisfy { part, limit in
        let payments = part.plan.payments(within: month)
        return payments <= limit && (buyers >= Self.leastBuyers || part.survival.bases[payments - 1] == .seen)
      }
    }
    func isAtBoundary(_ place: Int, _ month: Int) -> Bool {
      let payments = parts[place].plan.payments(within: month)
      return matters[place] && parts[place].survival.isAtBoundary(payments)
    }
    values = (1...Self.months).map { month in
      if viewers == 0 || !isKnown(month) || parts.indices.contains(where: { isAtBoundary($0, month) }) { return nil }
      return Self.total(parts, sums, month: month, own, prices: parts.map(\.renewalPrice)).map { $0 / Double(viewers) }
    }
    bases = (1...Self.months).map { month in
      if viewers == 0 || !isKnown(month) { return nil }
      return .weakest([.seen] + parts.map { $0.survival.bases[$0.plan.payments(within: month) - 1] })
    }
    if viewers > 0 {
      for (place, part) in parts.enumerated() {
        if let month = (1...Self.months).first(where: { part.plan.payments(within: $0) > limits[place] }) {
          unknown.append((part.plan, month))
        }
        if !hasTooFewBuyers, let fit = part.survival.fit,
          (1...Self.months).contains(where: { isAtBoundary(place, $0) })
        {
          atBoundary.append((part.plan, fit))
        }
      }
    }
    guard buyers >= Self.leastBuyers, viewers > 0 else {
      resampled = []
      return
    }
    let stride = UInt64(1 + parts.reduce(0) { $0 + $1.firstPayments.count })
    let renewalStride = UInt64(parts.reduce(0) { $0 + $1.renewals.count })
    resampled = (0..<Self.resamples).map { resample in
      var place = UInt64(resample) * stride
      func draw(_ mean: Int) -> Double {
        defer { place += 1 }
        return poissonDraw(mean: Double(mean), uniform: generator.uniform(at: place))
      }
      let weights = parts.map { part in part.firstPayments.map { draw($0.count) } }
      let all = draw(max(0, viewers - buyers)) + weights.joined().reduce(0, +)
      place = UInt64(Self.resamples) * stride + UInt64(resample) * renewalStride
      let prices = parts.map { Renewals.meanPrice($0.renewals, weight: draw) ?? $0.renewalPrice }
      if all == 0 { return [Double?](repeating: nil, count: Self.months) }
      let sums = parts.map { $0.resampledSums[resample] }
      let weighted = zip(parts, weights).map { part, weights in Weighted(part) { weights[$0] } }
      return (1...Self.months).map { month in
        isKnown(month) ? Self.total(parts, sums, month: month, weighted, prices: prices).map { $0 / all } : nil
      }
    }
  }

  /// The total of first payments and the number of buyers under resampling weights.
  private struct Weighted {
    var buyers = 0.0
    var firstPayments = 0.0

    /// - Parameter weight: Returns the weight of the payments at a place of ``Part/firstPayments``.
    init(_ part: Part, _ weight: (Int) -> Double) {
      for (place, payment) in part.firstPayments.enumerated() {
        buyers += weight(place)
        firstPayments += weight(place) * payment.amount
      }
    }
  }

  private static func total(
    _ parts: [Part], _ sums: [[Double]], month: Int, _ weighted: [Weighted], prices: [Double]
  ) -> Double? {
    var total = 0.0
    for place in parts.indices {
      let payments = parts[place].plan.payments(within: month)
      guard payments <= sums[place].count else { return nil }
      total +=
        weighted[place].firstPayments + weighted[place].buyers * prices[place] * sums[place][payments - 1]
    }
    return total
  }

  /// Returns the 95% interval of a month from the quantiles of the resamples.
  func interval(month: Int) -> Interval? { Self.interval(resampled.map { $0[month - 1] }) }

  /// Returns the variance of a month's value over the resamples; `nil` where the month has no interval.
  func variance(month: Int) -> Double? {
    let known = resampled.compactMap { $0[month - 1] }
    return known.count == resampled.count ? Moments(known).variance : nil
  }

  static func interval(_ draws: [Double?]) -> Interval? {
    let known = draws.compactMap(\.self).sorted()
    guard known.count == draws.count, let low = sampleQuantile(ofSorted: known, 0.025),
      let high = sampleQuantile(ofSorted: known, 0.975)
    else { return nil }
    return Interval(low: low, high: high)
  }
}

extension Report {
  /// Returns an estimated amount in a row with the variance of its resamples; `nil` if the column is not of this kind, or
  /// empty.
  func resampled(_ name: String, in row: [ReportValue]) -> (amount: Double, variance: Double)? {
    guard case .estimate(let amount?, _)? = value(name, in: row),
      case .number(let variance?)? = value(Value.variance(of: name), in: row)
    else { return nil }
    return (amount, variance)
  }
}
