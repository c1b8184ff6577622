internal import Lifecycle
internal import Store

/// `revenue` and `revenue_per_payer` (definitions 7.1, 8.3), by currency: sums never mix them (1.4). Payments and refunds
/// count at their own instants.
struct RevenueOutcomes {
  let exposed: ExposedPersons

  /// Persons who have this in common are counted together: prices are few, and sums do not depend on who came first.
  private struct Key: Hashable {
    var place: Int
    var age: Int
    var revenue: ExposureOutcome.Revenue
  }

  /// - Returns: The currencies that somebody paid in, those with most payers first, then in byte order.
  func add(to table: inout OutcomeTable) throws -> [String] {
    let arms = table.arms
    let horizon = Int(ExposureOutcome.revenueHorizon / day)
    var counts: [Key: Int] = [:]
    var finder = exposed.armFinder
    try exposed.source.forEachRevenue { variant, unit, slice in
      guard let arm = finder.arm(variant), case let age = exposed.age(unit.exposedAt), age >= horizon else { return }
      counts[Key(place: slice * arms + arm, age: age, revenue: unit.revenue), default: 0] += 1
    }
    var payers: [NameID: Int] = [:]
    for (key, count) in counts.sorted(by: { Self.precedes($0.key, $1.key) }) {
      let currency = exposed.query.facts.name(Int(key.revenue.currency))
      let before = RevenueHistory.Part(
        amount: Double(key.revenue.netBefore) / 1e6, isPayer: key.revenue.hadPaidBefore)
      let after = RevenueHistory.Part(amount: Double(key.revenue.net) / 1e6, isPayer: key.revenue.hasPaid)
      payers[key.revenue.currency, default: 0] += after.isPayer ? count : 0
      let (arm, days) = (key.place % arms, key.age - horizon)
      table.change(key.place / arms) { outcomes in
        outcomes.histories[currency, default: [RevenueHistory](repeating: RevenueHistory(), count: arms)][arm]
          .add(before: before, after: after, count: count)
        if !after.isPayer && after.amount == 0 { return }
        outcomes.means[
          ExperimentMetric.revenue(currency).name, default: [Accrual<Distribution>](repeating: Accrual(), count: arms)
        ][arm].add(daysBefore: days) { $0.add(after.amount, count: count) }
        outcomes.ratios[
          ExperimentMetric.revenuePerPayer(currency).name,
          default: [Accrual<RatioTally>](repeating: Accrual(), count: arms)
        ][arm].add(daysBefore: days) {
          $0.add(numerator: after.amount, denominator: after.isPayer ? 1 : 0, count: count)
        }
      }
    }
    return payers.filter { $0.value > 0 }.map { (exposed.query.facts.name(Int($0.key)), $0.value) }
      .sorted { left, right in left.1 != right.1 ? left.1 > right.1 : precedesInBytes(left.0, right.0) }.map(\.0)
  }

  private static func precedes(_ left: Key, _ right: Key) -> Bool {
    let (a, b) = (left.revenue, right.revenue)
    if (left.place, left.age, a.currency) != (right.place, right.age, b.currency) {
      return (left.place, left.age, a.currency) < (right.place, right.age, b.currency)
    }
    if (a.net, a.netBefore) != (b.net, b.netBefore) { return (a.net, a.netBefore) < (b.net, b.netBefore) }
    return (a.hasPaid ? 1 : 0, a.hadPaidBefore ? 1 : 0) < (b.hasPaid ? 1 : 0, b.hadPaidBefore ? 1 : 0)
  }
}
