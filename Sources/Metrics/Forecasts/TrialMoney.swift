internal import EventModel
internal import Lifecycle
internal import Statistics

/// The money that the open trials of a row are expected to bring within a horizon: their chance to convert, by what trials
/// in their state did, times what a purchase of the plan brings in the time left (definitions 7.6).
struct TrialMoney {
  /// Micro-units.
  private(set) var money = 0.0
  /// 95% intervals of what each state brings, for the chance in its outcomes.
  private var bounds: [(middle: Double, interval: Interval)] = []

  /// Returns an estimate's interval with this money added.
  func interval(_ fit: Interval, around middle: Double) -> Interval {
    var sum = BoundedSum()
    sum.middle = middle + money
    sum.widen(by: fit, around: middle, times: 1)
    for (middle, interval) in bounds { sum.widen(by: interval, around: middle, times: 1) }
    return sum.interval
  }

  private mutating func add(_ more: Double, _ interval: Interval?) {
    money += more
    if let interval { bounds.append((more, interval)) }
  }

  /// Returns the money by horizon; `nil` if a plan's renewals cannot be estimated, or no trial is open.
  ///
  /// - Parameters:
  ///   - plans: The row's purchases.
  ///   - bought: All purchases of the app, for plans of which the row knows too few renewals.
  static func byHorizon(
    _ trials: OriginTrials.Row, _ plans: [Plan: PlanPurchases], app bought: [Plan: PlanRuns], at origin: Int64
  ) -> [TrialMoney?] {
    if trials.open.isEmpty { return DueTable.horizons.map { _ in nil } }
    var values: [Plan: Value] = [:]
    for (plan, purchases) in plans {
      let few = purchases.counts.renewals.known < RenewalSupport.leastKnown
      let counts = few ? bought[plan]?.counts ?? purchases.counts : purchases.counts
      values[plan] = Value(plan, purchases, counts.renewals, from: origin)
    }
    let states = Dictionary(grouping: trials.open, by: \.state).mapValues(\.count).sorted { $0.key < $1.key }
      .compactMap { state, count in
        trials.ends(state).map { (count: Double(count), ends: $0, conversions: $0.conversions()) }
      }
    return DueTable.horizons.map { days in
      var sum = TrialMoney()
      for state in states {
        var (money, share) = (0.0, 0.0)
        for conversion in state.conversions {
          share += conversion.share
          // Of a plan that the row has never sold, no price is known.
          guard conversion.days < days, let value = values[conversion.plan] else { continue }
          guard let each = value.money(from: origin, after: conversion.days, before: days) else { return nil }
          money += state.count * conversion.share * each
        }
        let ended = Double(state.ends.ended)
        // All that comes is in proportion to the share that converts.
        let interval = wilsonInterval(successes: min(1, share) * ended, trials: ended).flatMap {
          share > 0 ? Interval(low: money / share * $0.low, high: money / share * $0.high) : nil
        }
        sum.add(money, interval)
      }
      return sum
    }
  }

  /// The money of a new purchase of a plan, by the renewals that come due.
  private struct Value {
    private let plan: Plan
    /// Micro-units.
    private let (once, again): (Double, Double)
    /// The renewals to expect of those due; `nil` if they cannot be estimated.
    private let expected: [Double?]

    init(_ plan: Plan, _ purchases: PlanPurchases, _ counts: RenewalCounts, from origin: Int64) {
      self.plan = plan
      once = purchases.firstAmount(parts: ReportCurrency.parts)
      again = purchases.laterAmount(parts: ReportCurrency.parts)
      let most = Self.renewals(plan, from: origin, before: origin + Int64(DueTable.horizons.last ?? 0) * day)
      let forecast = RenewalForecast(counts, through: Array(0...most), hasBounds: false)
      expected = forecast.expected.map { $0?.estimate }
    }

    private static func renewals(_ plan: Plan, from start: Int64, before end: Int64) -> Int {
      var count = 0
      while let due = plan.end(of: count + 1, from: start), due < end { count += 1 }
      return count
    }

    /// - Parameter days: When it is bought.
    func money(from origin: Int64, after days: Int, before end: Int) -> Double? {
      let due = Self.renewals(plan, from: origin + Int64(days) * day, before: origin + Int64(end) * day)
      return expected[min(due, expected.count - 1)].map { once + again * $0 }
    }
  }
}
