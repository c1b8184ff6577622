internal import EventModel
internal import Statistics

/// The value within 12 months of purchases that are 30 days old, as `ltv` predicts that of any purchase (definitions 7.6).
struct NewForecast {
  /// Amounts are sums over the purchases, in micro-units.
  private(set) var value = OriginForecast.Horizon(predicted: nil, stateless: nil, fit: nil, continued: nil)

  /// - Parameters:
  ///   - days: Days of data.
  ///   - hasBounds: Whether the fit's interval is asked for, which takes most of the time.
  init(_ cohort: OriginLedger.Cohort, days: Int, hasBounds: Bool) {
    let purchases = Double(cohort.new.members.count)
    let predicted = PredictedValue(cohort.all, parts: ReportCurrency.parts, days: days, hasBounds: hasBounds)
    if let place = LTV.horizons.firstIndex(of: ForecastTarget.months), let each = predicted.values[place] {
      value.predicted = each.estimate.map { $0 * purchases }
      value.stateless = value.predicted
      value.fit = Interval(low: each.low * purchases, high: each.high * purchases)
    }
    value.continued = Self.continued(cohort)
    value.notes = predicted.note.isEmpty || value.predicted != nil ? [] : [predicted.note]
  }

  /// Returns first payments continued by the Kaplan–Meier shares of renewals as known; those that nobody has reached yet
  /// have the share of all renewals known. `nil` if a plan with renewals within the time has no known one.
  private static func continued(_ cohort: OriginLedger.Cohort) -> Double? {
    var sum = 0.0
    for (plan, count) in cohort.new.plans.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard let bought = cohort.all[plan] else { continue }
      let renewals = plan.payments(within: ForecastTarget.months) - 1
      let shares = bought.counts.renewals.continuedShares(renewals)
      guard let shares else { return nil }
      sum += Double(count) * bought.firstAmount(parts: ReportCurrency.parts) * (1 + shares.reduce(0, +))
    }
    return sum
  }
}

extension RenewalCounts {
  /// Returns the chance of each renewal by Kaplan–Meier; a renewal that nobody has reached yet has the share of all known
  /// ones. `nil` without a known renewal.
  var chances: ((Int) -> Double)? {
    if known == 0 { return nil }
    let all = kept.reduce(0, +) / known
    return { renewal in
      guard renewal <= kept.count else { return all }
      let (kept, lost) = (kept[renewal - 1], lost[renewal - 1])
      return kept + lost > 0 ? kept / (kept + lost) : all
    }
  }

  /// Returns the shares that make renewal 1, 2, … up to a number by ``chances``.
  fileprivate func continuedShares(_ renewals: Int) -> [Double]? {
    if renewals == 0 { return [] }
    guard let chances else { return nil }
    var share = 1.0
    return (1...renewals).map { renewal in
      share *= chances(renewal)
      return share
    }
  }
}
