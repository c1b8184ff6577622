internal import EventModel
internal import Statistics

/// Predicts the value of a purchase within months, over the plans of a row; implements definitions 7.6.
struct PredictedValue {
  /// A value with bounds, in micro-units.
  struct Bounded {
    /// The point estimate; `nil` if a fit is at its boundary.
    var estimate: Double?
    var low: Double
    var high: Double
  }

  private(set) var purchases = 0
  /// Values by ``LTV/horizons``; `nil` if a plan's renewals are unknown or cannot be estimated.
  private(set) var values: [Bounded?]
  /// The reason why values or points are empty; empty if none is.
  private(set) var note = ""

  /// Counts purchases without a prediction.
  init(counting plans: [Plan: PlanPurchases]) {
    purchases = plans.values.reduce(0) { $0 + $1.purchases }
    values = LTV.horizons.map { _ in nil }
  }

  /// - Parameters:
  ///   - parts: The unit of sums, as parts of a micro-unit.
  ///   - days: Days of data.
  ///   - hasBounds: Whether bounds are asked for; without, they are the estimates.
  init(_ plans: [Plan: PlanPurchases], parts: Int128, days: Int, hasBounds: Bool = true) {
    purchases = plans.values.reduce(0) { $0 + $1.purchases }
    guard purchases > 0 else {
      values = LTV.horizons.map { _ in nil }
      note = "no purchases"
      return
    }
    var sums: [BoundedSum?] = LTV.horizons.map { _ in BoundedSum() }
    var hasPoint = LTV.horizons.map { _ in true }
    var notes: [String] = []
    for (plan, bought) in plans.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let share = Double(bought.purchases) / Double(purchases)
      let counts = bought.counts.renewals
      let matters = RenewalSupport.counts(bought.purchases, of: purchases)
      let (once, again) = (bought.firstAmount(parts: parts), bought.laterAmount(parts: parts))
      let renewals = LTV.horizons.map { plan.payments(within: $0) - 1 }
      if matters, counts.known < RenewalSupport.leastKnown, let first = renewals.firstIndex(where: { $0 > 0 }) {
        for place in renewals.indices where renewals[place] > 0 { sums[place] = nil }
        for place in renewals.indices where renewals[place] == 0 { sums[place]?.middle += share * once }
        notes.append(RenewalSupport.notKnown(plan.name, from: "\(LTV.horizons[first])m", days: days))
        continue
      }
      let forecast = RenewalForecast(counts, through: renewals, hasBounds: hasBounds)
      for (place, renewals) in forecast.expected.enumerated() {
        guard let renewals else {
          sums[place] = nil
          continue
        }
        sums[place]?.middle += share * (once + again * renewals.estimate)
        sums[place]?.widen(by: renewals.bounds, around: renewals.estimate, times: share * again)
      }
      if let reason = forecast.reason, let first = forecast.expected.firstIndex(where: { $0 == nil }) {
        notes.append("\(plan.name) not estimable from \(LTV.horizons[first])m on: \(reason)")
      }
      if matters, renewals.contains(where: { $0 > 0 }),
        let boundary = RenewalSupport.boundary(plan.name, forecast.fit)
      {
        for place in renewals.indices where renewals[place] > 0 { hasPoint[place] = false }
        notes.append(boundary)
      }
    }
    values = zip(sums, hasPoint).map { sum, hasPoint in
      sum.map {
        Bounded(estimate: hasPoint ? $0.middle : nil, low: $0.interval.low, high: $0.interval.high)
      }
    }
    note = notes.joined(separator: "; ")
  }
}

/// A sum of estimates of plans that are fitted separately, with its 95% bounds.
struct BoundedSum {
  var middle = 0.0
  /// The squared distances to the bounds.
  private var (down, up) = (0.0, 0.0)

  /// Takes in the distances of an estimate's bounds, times a factor.
  ///
  /// Squared distances add up because plans are fitted separately: Zou & Donner (2008), doi:10.1002/sim.3095.
  mutating func widen(by bounds: Interval, around estimate: Double, times factor: Double) {
    let below = factor * (estimate - bounds.low)
    let above = factor * (bounds.high - estimate)
    down += factor < 0 ? above * above : below * below
    up += factor < 0 ? below * below : above * above
  }

  var interval: Interval { Interval(low: middle - down.squareRoot(), high: middle + up.squareRoot()) }
}

/// The expected number of renewals of a new subscription, by the fit of definitions 7.6.
struct RenewalForecast {
  struct Expected: Equatable {
    var estimate: Double
    /// The 95% bounds.
    var bounds: Interval
  }

  /// Σ S(t) for t from 1 to each requested renewal; `nil` if it cannot be estimated.
  private(set) var expected: [Expected?]
  /// The reason why one is `nil`.
  private(set) var reason: String?
  let fit: RetentionFit

  /// - Parameters:
  ///   - lasts: Renewal numbers, from 0.
  ///   - hasBounds: Whether bounds are asked for; without, they are the estimates.
  init(_ counts: RenewalCounts, through lasts: [Int], hasBounds: Bool = true) {
    fit = shiftedBetaGeometricFit(counts)
    let curve = fit.survival(through: lasts.max() ?? 0)
    func sums(_ curve: [Double]) -> [Double] { lasts.map { curve.dropFirst().prefix($0).reduce(0, +) } }
    let bounds =
      hasBounds
      ? retentionRanges(counts, through: lasts.max() ?? 0, of: sums)
      : curve.map { sums($0).map { Interval(low: $0, high: $0) } }
    expected = lasts.indices.map { place in
      if lasts[place] == 0 { return Expected(estimate: 0, bounds: Interval(low: 0, high: 0)) }
      if let curve, let bounds {
        return Expected(estimate: curve.dropFirst().prefix(lasts[place]).reduce(0, +), bounds: bounds[place])
      }
      // The first renewal needs no model: every fit has its observed share.
      guard lasts[place] == 1, let lost = counts.lost.first, let kept = counts.kept.first,
        let interval = wilsonInterval(successes: kept, trials: lost + kept)
      else { return nil }
      return Expected(estimate: kept / (lost + kept), bounds: interval)
    }
    if expected.contains(nil) { reason = RenewalSupport.notIdentified(counts) }
  }
}
