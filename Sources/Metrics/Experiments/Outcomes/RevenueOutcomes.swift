internal import Lifecycle
internal import Store

/// Reads `revenue` and `revenue_per_payer` in the decision currency, each user once; implements D6.4. Payments and
/// refunds count at their own instants (definitions 7.1).
struct RevenueOutcomes {
  let exposed: ExposedPersons
  let plan: ExperimentPlan

  /// The traits by which users are counted together: prices are few, and so sums do not depend on the order of users.
  private struct Key: Hashable {
    var place: Int
    var age: Int
    /// In units of the currency.
    var before: RevenueHistory.Part
    var after: RevenueHistory.Part
  }

  private struct Counts {
    var persons: [Key: Int] = [:]
    var money: MoneyCoverage
  }

  private var horizon: Int { Int(ExposureOutcome.revenueHorizon / day) }

  /// - Returns: The coverage, `nil` if no user paid, and the currencies that also have metrics of their own: those with
  ///   most payers first, then in byte order.
  func add(to table: inout OutcomeTable) throws -> (money: MoneyCoverage?, native: [String]) {
    let arms = table.arms
    let stored = try storedCounts(arms: arms)
    let paid = stored.filter { $0.value.money.payers.contains { $0 > 0 } }
    let currencies = paid.keys.sorted { left, right in
      let payers = [left, right].map { stored[$0]?.money.payers.reduce(0, +) ?? 0 }
      return payers[0] != payers[1] ? payers[0] > payers[1] : precedesInBytes(left, right)
    }
    guard let most = currencies.first else { return (nil, []) }
    let counts = try decision(most, stored, arms: arms)
    let currency = counts.money.currency
    add(counts, revenue: .revenue(currency), perPayer: .revenuePerPayer(currency), to: &table)
    addHistories(counts, to: &table)
    let native = needsNative ? currencies : []
    for currency in native {
      stored[currency].map {
        add($0, revenue: .nativeRevenue(currency), perPayer: .nativeRevenuePerPayer(currency), to: &table)
      }
    }
    return (counts.money, native)
  }

  /// Whether rows by currency are requested, or the plan names a currency.
  private var needsNative: Bool {
    let names = [plan.primary].compactMap { $0 } + plan.family + plan.guardrails.map(\.metric) + plan.roles.keys
    return exposed.query.options.isNative || names.contains { $0.hasPrefix("revenue") && $0.contains(":") }
  }

  /// Returns the counts in the decision currency; implements D6.1.
  private func decision(_ most: String, _ stored: [String: Counts], arms: Int) throws -> Counts {
    if let asked = exposed.query.options.currency ?? plan.currency {
      return try counts(in: asked, stored, arms: arms)
    }
    if try stored.keys.elementsEqual(["USD"]) || exposed.query.snapshot.tellsRates() {
      let dollars = try counts(in: "USD", stored, arms: arms)
      if dollars.money.missing.isEmpty { return dollars }
    }
    return try counts(in: most, stored, arms: arms)
  }

  private func counts(in currency: String, _ stored: [String: Counts], arms: Int) throws -> Counts {
    // Cells have no days, so they can answer only if no rate is needed.
    if let own = stored[currency], stored.count == 1 { return own }
    return try converted(to: currency, arms: arms)
  }

  private func storedCounts(arms: Int) throws -> [String: Counts] {
    var found: [NameID: Counts] = [:]
    var finder = exposed.armFinder
    let none = [Int](repeating: 0, count: arms)
    try exposed.source.forEachRevenue { variant, unit, slice in
      guard let arm = finder.arm(variant), case let age = exposed.age(unit.exposedAt), age >= horizon else { return }
      let revenue = unit.revenue
      let key = Key(
        place: slice * arms + arm, age: age,
        before: RevenueHistory.Part(amount: Double(revenue.netBefore) / 1e6, isPayer: revenue.hadPaidBefore),
        after: RevenueHistory.Part(amount: Double(revenue.net) / 1e6, isPayer: revenue.hasPaid))
      let empty = Counts(money: MoneyCoverage(currency: "", payers: none, covered: none, missing: [:]))
      found[revenue.currency, default: empty].persons[key, default: 0] += 1
      if revenue.hasPaid { found[revenue.currency]?.money.payers[arm] += 1 }
    }
    // Currencies whose names a damaged store lacks have one name.
    return Dictionary(
      found.map { id, counts in
        var counts = counts
        counts.money.currency = exposed.query.facts.name(Int(id))
        counts.money.covered = counts.money.payers
        return (counts.money.currency, counts)
      }, uniquingKeysWith: { one, _ in one })
  }

  /// Returns counts from single payments and refunds, each converted at its rate.
  private func converted(to currency: String, arms: Int) throws -> Counts {
    let none = [Int](repeating: 0, count: arms)
    var counts = Counts(money: MoneyCoverage(currency: currency, payers: none, covered: none, missing: [:]))
    try UserMoney(exposed: exposed, currency: currency).forEach { user, sum in
      guard let arm = exposed.arm(user.variant) else { return }
      for (id, count) in sum.missing { counts.money.missing[exposed.query.facts.name(Int(id)), default: 0] += count }
      if sum.after.isPayer {
        counts.money.payers[arm] += 1
        counts.money.covered[arm] += sum.isCovered ? 1 : 0
      }
      if sum.isNothing { return }
      let key = Key(
        place: user.slice * arms + arm, age: exposed.age(user.exposedAt), before: sum.before.part,
        after: sum.after.part)
      counts.persons[key, default: 0] += 1
    }
    return counts
  }

  private func add(
    _ counts: Counts, revenue: ExperimentMetric, perPayer: ExperimentMetric, to table: inout OutcomeTable
  ) {
    let arms = table.arms
    for (key, count) in counts.persons.sorted(by: { Self.precedes($0.key, $1.key) }) {
      let (after, arm, days) = (key.after, key.place % arms, key.age - horizon)
      if !after.isPayer && after.amount == 0 { continue }
      table.change(key.place / arms) { outcomes in
        outcomes.means.add(revenue.name, arm: arm, of: arms, daysBefore: days) { $0.add(after.amount, count: count) }
        outcomes.ratios.add(perPayer.name, arm: arm, of: arms, daysBefore: days) {
          $0.add(numerator: after.amount, denominator: after.isPayer ? 1 : 0, count: count)
        }
        // Payers alone, for bounds of their payments (D5.6).
        guard after.isPayer else { return }
        outcomes.means.add(perPayer.name, arm: arm, of: arms, daysBefore: days) {
          $0.persons += count
          $0.add(after.amount, count: count)
        }
      }
    }
  }

  private func addHistories(_ counts: Counts, to table: inout OutcomeTable) {
    let arms = table.arms
    for (key, count) in counts.persons.sorted(by: { Self.precedes($0.key, $1.key) }) {
      table.change(key.place / arms) { outcomes in
        outcomes.histories[
          counts.money.currency, default: [RevenueHistory](repeating: RevenueHistory(), count: arms)
        ][key.place % arms].groups.append((key.before, key.after, count))
      }
    }
  }

  private static func precedes(_ left: Key, _ right: Key) -> Bool {
    if (left.place, left.age) != (right.place, right.age) {
      return (left.place, left.age) < (right.place, right.age)
    }
    let (a, b) = ((left.after, left.before), (right.after, right.before))
    if (a.0.amount, a.1.amount) != (b.0.amount, b.1.amount) {
      return (a.0.amount, a.1.amount) < (b.0.amount, b.1.amount)
    }
    return (a.0.isPayer ? 1 : 0, a.1.isPayer ? 1 : 0) < (b.0.isPayer ? 1 : 0, b.1.isPayer ? 1 : 0)
  }
}
