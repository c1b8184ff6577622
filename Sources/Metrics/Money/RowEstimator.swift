internal import EventModel
internal import Lifecycle
internal import Statistics
internal import Store

/// Estimates the values of rows, with the app's survival of a plan if a row has too few renewals of its own.
struct RowEstimator {
  /// A row's estimate in one currency.
  struct Estimate {
    var buyers: [Plan: Int]
    var hasOwnSurvival: [Plan: Bool]
    var value: ValueEstimate
  }

  private let query: ReportQuery
  private let apps: AppPurchases
  private var appDraws: [AppPurchases.Place: [[Double]]] = [:]

  init(_ query: ReportQuery, _ apps: AppPurchases) {
    self.query = query
    self.apps = apps
  }

  /// - Parameters:
  ///   - labels: The row's labels, which seed the random numbers.
  ///   - viewers: Matured viewers.
  /// - Returns: Estimates by ``ReportCurrency/code(_:)``, at least one.
  mutating func estimates(
    _ purchases: [Plan: ValueRows.Purchases], app: NameID, labels: String, viewers: Int
  ) throws -> [Int64: Estimate] {
    // There is no prediction for a single user.
    let isOfPersons = query.by.contains(.person)
    let plans = purchases.sorted { $0.key.rawValue < $1.key.rawValue }
    let codes = Set(plans.flatMap { $0.value.firstPayments.keys })
    var ownDraws: [Plan: [[Double]]] = [:]
    var found: [Int64: Estimate] = [:]
    for code in codes.isEmpty ? [0] : codes {
      var parts: [ValueEstimate.Part] = []
      var hasOwn: [Plan: Bool] = [:]
      for (plan, purchases) in plans {
        guard let payments = purchases.firstPayments[code] else { continue }
        let place = AppPurchases.Place(app: app, plan: plan)
        let (counts, isOwn) = try apps.counts(of: place, own: purchases.counts)
        let assumed = query.options.assumedRenewals[plan]
        let due = isOfPersons ? 1 : plan.payments(within: ValueEstimate.months)
        let survival = PlanSurvival(counts, assumed: assumed, payments: due)
        let generator = CounterGenerator(
          name: "value/\(isOwn ? labels : query.facts.name(Int(app)))/\(plan.name)")
        let draws =
          isOfPersons
          ? []
          : (isOwn ? ownDraws[plan] : appDraws[place])
            ?? PlanSurvival.resampled(
              counts, assumed: assumed, payments: due, times: ValueEstimate.resamples, generator
            ) { $0.renewalSums }
        if isOwn { ownDraws[plan] = draws } else { appDraws[place] = draws }
        hasOwn[plan] = isOwn
        let renewals = (purchases.renewals[code] ?? [:])
          .sorted { ($0.key.sum, $0.key.count) < ($1.key.sum, $1.key.count) }
          .map { ValueEstimate.Renewals($0.key, buyers: $0.value) }
        let price =
          try ValueEstimate.Renewals.meanPrice(renewals) { Double($0) }
          ?? apps.renewalPrice(of: place, code: code) ?? purchases.firstPrices[code]?.microUnits
        parts.append(
          ValueEstimate.Part(
            plan: plan,
            firstPayments: payments.sorted { $0.key < $1.key }.map {
              (Double($0.key) / Double(ReportCurrency.parts), $0.value)
            },
            renewalPrice: price ?? 0, survival: survival, resampledSums: draws, renewals: renewals))
      }
      let currency = query.options.currency ?? query.facts.name(Int(code))
      found[code] = Estimate(
        buyers: Dictionary(uniqueKeysWithValues: parts.map { ($0.plan, $0.buyers) }), hasOwnSurvival: hasOwn,
        value: ValueEstimate(
          parts, viewers: isOfPersons ? 0 : viewers, CounterGenerator(name: "value/\(labels)/\(currency)")))
    }
    return found
  }
}
