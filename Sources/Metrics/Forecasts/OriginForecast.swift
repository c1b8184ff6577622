internal import EventModel
internal import Statistics

/// The money that a row's active purchases are expected to bring within each horizon after an origin, by definitions 7.6
/// and by a simple rule that the model should beat.
struct OriginForecast {
  /// A forecast for one horizon. Amounts are sums over the purchases, in micro-units.
  struct Horizon {
    /// The point estimate; `nil` if renewals are unknown. Errors tell how good it is, so a fit at its boundary has one, too.
    var predicted: Double?
    /// The estimates if open trials bring what trials like them did, and if they bring nothing.
    private(set) var withTrials: Double?
    private(set) var withoutTrials: Double?
    /// The money that open trials are expected to bring; `nil` if there are none, or it is not known.
    var trials: TrialMoney?
    /// The estimate of the fit alone, which does not use whether auto-renew is off.
    var stateless: Double?
    /// The 95% interval of the fit; `nil` if renewals are unknown or there is no fit.
    var fit: Interval?
    /// Last payments continued by the plan's Kaplan–Meier; `nil` if no renewal is known.
    var continued: Double?
    var notes: [String] = []
    var ages: [AgeBand: Horizon] = [:]

    /// Adds open trials, or leaves them out.
    mutating func decide(keepsTrials: Bool) {
      withoutTrials = predicted
      guard let trials else {
        withTrials = predicted
        return
      }
      let kept = keepsTrials ? trials.money : 0
      withTrials = predicted.map { $0 + trials.money }
      predicted = predicted.map { $0 + kept }
      stateless = stateless.map { $0 + kept }
      if keepsTrials, let own = fit, let withoutTrials { fit = trials.interval(own, around: withoutTrials) }
      ages[.trial] = Horizon(predicted: predicted == nil ? nil : kept, stateless: kept, fit: nil, continued: nil)
      ages[.trial]?.withTrials = withTrials == nil ? nil : trials.money
      ages[.trial]?.withoutTrials = withoutTrials == nil ? nil : 0
    }

    /// Adds the purchases of a plan.
    fileprivate mutating func add(_ estimate: ActiveMoney.Estimate?, continued more: Double?) {
      func sum(_ one: Double?, _ other: Double?) -> Double? { one.flatMap { one in other.map { one + $0 } } }
      predicted = sum(predicted, estimate?.money)
      stateless = sum(stateless, estimate?.stateless)
      continued = sum(continued, more.map { $0 / Double(ReportCurrency.parts) })
    }
  }

  private(set) var horizons: [Horizon]

  /// - Parameters:
  ///   - trials: Those of the row.
  ///   - bought: All purchases of the app, for plans of which the row knows too few renewals.
  ///   - tally: Returns what earlier purchases of a plan in a state did.
  ///   - days: Days of data.
  init(
    _ cohort: OriginLedger.Cohort, _ trials: OriginTrials.Row, app bought: [Plan: PlanRuns], at origin: Int64,
    days: Int,
    tally: @escaping (Plan, RenewalState) -> RenewalStates.Tally?
  ) {
    var nothing = Horizon(predicted: 0, stateless: 0, fit: nil, continued: 0)
    nothing.ages = cohort.ages.mapValues { _ in nothing }
    horizons = DueTable.horizons.map { _ in nothing }
    var sums = horizons.map { _ in BoundedSum() }
    var hasFit = horizons.map { _ in true }
    for (plan, active) in cohort.active.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard let own = cohort.bought[plan] else { continue }
      let few = own.counts.renewals.known < RenewalSupport.leastKnown
      let known = few ? bought[plan] ?? own : own
      let counts = known.counts.renewals
      let chances = known.lasting.renewals.chances
      let matters = RenewalSupport.counts(active.purchases, of: cohort.purchases)
      let isKnown = !matters || counts.known >= RenewalSupport.leastKnown
      let expected = isKnown ? ActiveMoney(active, own, counts) { tally(plan, $0) } : nil
      for place in horizons.indices where active.lastRenewal(at: place) > 0 {
        let estimate = expected?.estimate(of: active, at: place)
        horizons[place].add(estimate, continued: chances.map { active.amounts.renewing($0)[place] })
        for (age, plans) in cohort.ages {
          guard let part = plans[plan] else { continue }
          horizons[place].ages[age]?.add(
            expected?.estimate(of: part, at: place), continued: chances.map { part.amounts.renewing($0)[place] })
        }
        if !isKnown {
          horizons[place].notes.append(
            RenewalSupport.notKnown(plan.name, from: "\(DueTable.horizons[place]) d", days: days))
        } else if estimate == nil {
          horizons[place].notes.append("\(plan.name) not estimable from \(DueTable.horizons[place]) d on")
        }
        guard let middle = estimate?.money else { continue }
        sums[place].middle += middle
        if expected?.bounds[place] == nil { hasFit[place] = false }
        for bounds in expected?.bounds[place] ?? [] { sums[place].widen(by: bounds, around: middle, times: 1) }
      }
    }
    for place in horizons.indices where hasFit[place] && horizons[place].predicted != nil {
      horizons[place].fit = sums[place].interval
    }
    for (place, money) in TrialMoney.byHorizon(trials, cohort.all, app: bought, at: origin).enumerated() {
      horizons[place].trials = money
    }
  }
}
