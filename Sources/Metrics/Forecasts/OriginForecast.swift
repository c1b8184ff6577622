internal import EventModel
internal import Statistics

/// The money that a row's active purchases are expected to bring within each horizon after an origin, by definitions 7.6
/// and by a simple rule that the model should beat.
struct OriginForecast {
  /// A forecast for one horizon. Amounts are sums over the purchases, in micro-units.
  struct Horizon {
    /// The point estimate; `nil` if renewals are unknown. Errors tell how good it is, so a fit at its boundary has one, too.
    var predicted: Double?
    /// The estimate of the fit alone, which does not use whether auto-renew is off.
    var stateless: Double?
    /// The 95% interval of the fit; `nil` if renewals are unknown or there is no fit.
    var fit: Interval?
    /// Last payments continued by the plan's Kaplan–Meier; `nil` if no renewal is known.
    var continued: Double?
    var notes: [String] = []
  }

  private(set) var horizons = DueTable.horizons.map { _ in
    Horizon(predicted: 0, stateless: 0, fit: nil, continued: 0)
  }

  /// - Parameters:
  ///   - bought: All purchases of the app, for plans of which the row knows too few renewals.
  ///   - tally: Returns what earlier purchases of a plan in a state did.
  ///   - days: Days of data.
  init(
    _ cohort: OriginLedger.Cohort, app bought: [Plan: PlanRuns], days: Int,
    tally: (Plan, RenewalState) -> RenewalStates.Tally?
  ) {
    var sums: [BoundedSum?] = horizons.map { _ in BoundedSum() }
    var hasFit = horizons.map { _ in true }
    for (plan, active) in cohort.active.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard let own = cohort.bought[plan] else { continue }
      let few = own.counts.renewals.known < RenewalSupport.leastKnown
      let known = few ? bought[plan] ?? own : own
      let counts = known.counts.renewals
      let isDue = horizons.indices.map { active.lastRenewal(at: $0) > 0 }
      let continued = known.lasting.renewals.chances.map(active.amounts.renewing)
      for place in horizons.indices where isDue[place] {
        horizons[place].continued = continued.flatMap { own in
          horizons[place].continued.map { $0 + own[place] / Double(ReportCurrency.parts) }
        }
      }
      let matters = RenewalSupport.counts(active.purchases, of: cohort.purchases)
      if matters, counts.known < RenewalSupport.leastKnown {
        for place in horizons.indices where isDue[place] {
          sums[place] = nil
          horizons[place].stateless = nil
          horizons[place].notes.append(
            RenewalSupport.notKnown(plan.name, from: "\(DueTable.horizons[place]) d", days: days))
        }
        continue
      }
      let expected = ActiveMoney(active, own, counts) { tally(plan, $0) }
      for place in horizons.indices where isDue[place] {
        horizons[place].stateless = expected.stateless[place].flatMap { own in
          horizons[place].stateless.map { $0 + own }
        }
        guard let money = expected.horizons[place] else {
          sums[place] = nil
          horizons[place].notes.append("\(plan.name) not estimable from \(DueTable.horizons[place]) d on")
          continue
        }
        sums[place]?.middle += money.estimate
        if money.bounds == nil { hasFit[place] = false }
        for bounds in money.bounds ?? [] { sums[place]?.widen(by: bounds, around: money.estimate, times: 1) }
      }
    }
    for place in horizons.indices {
      horizons[place].predicted = sums[place]?.middle
      if sums[place] == nil { horizons[place].stateless = nil }
      horizons[place].fit = hasFit[place] ? sums[place]?.interval : nil
    }
  }
}
