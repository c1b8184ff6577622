internal import EventModel
internal import Statistics

/// The money that a row's active purchases are expected to bring within each horizon after an origin, by definitions 7.6
/// and by a simple rule that the model should beat.
struct OriginForecast {
  /// A forecast for one horizon. Amounts are sums over the purchases, in micro-units.
  struct Horizon {
    /// The point estimate; `nil` if renewals are unknown, or a fit is at its boundary.
    var predicted: Double?
    /// The 95% interval of the fit; `nil` if renewals are unknown.
    var fit: Interval?
    /// Last payments continued by the plan's Kaplan–Meier; `nil` if no renewal is known.
    var continued: Double?
    var notes: [String] = []
  }

  private(set) var horizons = DueTable.horizons.map { _ in Horizon(predicted: 0, fit: nil, continued: 0) }

  /// - Parameter days: Days of data.
  init(_ cohort: OriginLedger.Cohort, days: Int) {
    var sums: [BoundedSum?] = horizons.map { _ in BoundedSum() }
    var hasPoint = horizons.map { _ in true }
    let parts = Double(ReportCurrency.parts)
    for (plan, active) in cohort.active.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard let bought = cohort.bought[plan] else { continue }
      let counts = bought.counts.renewals
      let isDue = horizons.indices.map { active.counts.lastRenewal(at: $0) > 0 }
      let continued = Self.continued(active.amounts, counts)
      for place in horizons.indices where isDue[place] {
        horizons[place].continued = continued.flatMap { own in horizons[place].continued.map { $0 + own[place] / parts }
        }
      }
      let matters = RenewalSupport.counts(active.purchases, of: cohort.purchases)
      if matters, counts.known < RenewalSupport.leastKnown {
        for place in horizons.indices where isDue[place] {
          sums[place] = nil
          horizons[place].notes.append(
            RenewalSupport.notKnown(plan.name, from: "\(DueTable.horizons[place]) d", days: days))
        }
        continue
      }
      let again = bought.laterAmount(parts: ReportCurrency.parts)
      let expected = PlanRenewals(active.counts, counts)
      for place in horizons.indices where isDue[place] {
        guard let renewals = expected.horizons[place] else {
          sums[place] = nil
          horizons[place].notes.append("\(plan.name) not estimable from \(DueTable.horizons[place]) d on")
          continue
        }
        sums[place]?.middle += again * renewals.estimate
        sums[place]?.widen(by: renewals.bounds, around: renewals.estimate, times: again)
        if matters, let boundary = RenewalSupport.boundary(plan.name, expected.fit) {
          hasPoint[place] = false
          horizons[place].notes.append(boundary)
        }
      }
    }
    for place in horizons.indices {
      horizons[place].predicted = hasPoint[place] ? sums[place]?.middle : nil
      horizons[place].fit = sums[place]?.interval
    }
  }

  /// Returns last payments continued by the Kaplan–Meier shares of renewals as known, by horizon; a renewal that nobody
  /// has reached yet has the share of all renewals known. `nil` without a known renewal.
  private static func continued(_ amounts: DueTable, _ counts: RenewalCounts) -> [Double]? {
    guard counts.known > 0 else { return nil }
    let all = counts.kept.reduce(0, +) / counts.known
    return amounts.renewing { renewal in
      guard renewal <= counts.kept.count else { return all }
      let (kept, lost) = (counts.kept[renewal - 1], counts.lost[renewal - 1])
      return kept + lost > 0 ? kept / (kept + lost) : all
    }
  }
}

/// The renewals that a plan's active purchases are expected to make within each horizon, by the fit of definitions 7.6 given
/// the renewals that they have made.
struct PlanRenewals {
  private(set) var horizons: [RenewalForecast.Expected?]
  let fit: RetentionFit

  /// - Parameters:
  ///   - due: The renewals that the purchases come to.
  ///   - counts: The plan's renewals as known.
  init(_ due: DueTable, _ counts: RenewalCounts) {
    fit = shiftedBetaGeometricFit(counts)
    let last = due.lastRenewal
    let estimates = fit.survival(through: last).map(due.renewing(by:))
    // Given renewals made, a share is still monotonic: the product of later renewals' chances.
    let bounds = last == 0 ? nil : retentionRanges(counts, through: last) { due.renewing(by: $0) }
    horizons = DueTable.horizons.indices.map { place in
      if due.lastRenewal(at: place) == 0 {
        return RenewalForecast.Expected(estimate: 0, bounds: Interval(low: 0, high: 0))
      }
      if let estimates, let bounds {
        return RenewalForecast.Expected(estimate: estimates[place], bounds: bounds[place])
      }
      // The first renewal needs no model: every fit has its observed share.
      guard due.lastRenewal(at: place) == 1, let lost = counts.lost.first, let kept = counts.kept.first,
        let interval = wilsonInterval(successes: kept, trials: lost + kept)
      else { return nil }
      let count = due.renewing { _ in 1 }[place]
      return RenewalForecast.Expected(
        estimate: count * kept / (lost + kept), bounds: interval.scaled(by: count))
    }
  }
}
