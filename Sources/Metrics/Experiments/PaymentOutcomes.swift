internal import Lifecycle

/// `revenue`, `revenue_per_payer` and `refunded` (definitions 7.1, 8.3), by currency: sums never mix them (1.4).
///
/// A payment counts at its instant, one given back in full is taken off on the day that this was complete. A part given
/// back is taken off with its payment: facts have no instant for it.
struct PaymentOutcomes {
  let exposed: ExposedPersons

  private var payments: String { exposed.query.facts.table(.payment) }
  private var names: String { exposed.query.by.indices.map { ", d\($0)" }.joined() }
  private var aliases: String { exposed.query.by.indices.map { ", e.d\($0) AS d\($0)" }.joined() }

  /// - Returns: The currencies that somebody paid in, those with most payers first, then in byte order.
  func add(to table: inout OutcomeTable) throws -> [String] {
    try addRefunds(to: &table)
    return try addRevenue(to: &table)
  }

  private func addRefunds(to table: inout OutcomeTable) throws {
    try exposed.forEachGroup(
      """
      SELECT variant, age\(names), COUNT(*)
      FROM (
        SELECT DISTINCT e.person, e.variant AS variant, e.age AS age\(aliases)
        FROM \(payments) AS p
        JOIN \(ExposedPersons.table) AS e ON e.person = p.person
        WHERE p.refunded_at >= e.ts AND p.refunded_at < e.ts + \(ExperimentMetric.refunded.horizon)
      ) AS p
      GROUP BY variant, age\(names)
      """
    ) { arm, age, codes, row, first in
      table.addEvents(.refunded, codes, arm: arm, age: age, count: row.int(first))
    }
  }

  private func addRevenue(to table: inout OutcomeTable) throws -> [String] {
    let end = "e.ts + \(ExperimentMetric.revenueDays * day)"
    // What was given back of a payment, at most all of it.
    let given = "CASE WHEN p.refunded > p.price THEN p.price ELSE p.refunded END"
    var payers: [String: Int] = [:]
    try exposed.forEachGroup(
      """
      SELECT variant, age\(names), currency, revenue, has_paid, COUNT(*)
      FROM (
        SELECT e.person, e.variant AS variant, e.age AS age\(aliases), p.currency AS currency,
          SUM(CASE WHEN p.ts >= e.ts AND p.ts < \(end)
                THEN p.price - CASE WHEN p.refunded_at IS NULL THEN \(given) ELSE 0 END
                ELSE 0 END)
            - SUM(CASE WHEN p.refunded_at >= e.ts AND p.refunded_at < \(end) THEN \(given) ELSE 0 END) AS revenue,
          MAX(CASE WHEN p.ts >= e.ts AND p.ts < \(end) THEN 1 ELSE 0 END) AS has_paid
        FROM \(payments) AS p
        JOIN \(ExposedPersons.table) AS e ON e.person = p.person
        WHERE p.price > 0 AND e.age >= \(ExperimentMetric.revenueDays * day)
        GROUP BY e.person, e.variant, e.age\(exposed.dimensions), p.currency
      ) AS r
      GROUP BY variant, age\(names), currency, revenue, has_paid
      ORDER BY 1, 2, \((0..<(exposed.query.by.count + 3)).map { String($0 + 3) }.joined(separator: ", "))
      """
    ) { arm, age, codes, row, first in
      let currency = exposed.query.facts.name(row.int(first))
      let revenue = Double(row[first + 1]) / 1e6
      let hasPaid = row[first + 2] == 1
      let count = row.int(first + 3)
      if !hasPaid && revenue == 0 { return }
      payers[currency, default: 0] += hasPaid ? count : 0
      let days = age - Int(ExperimentMetric.revenueDays)
      let arms = table.arms
      table.change(codes) { outcomes in
        outcomes.means[
          ExperimentMetric.revenue(currency).name, default: [Accrual<Distribution>](repeating: Accrual(), count: arms)
        ][arm].add(daysBefore: days) { $0.add(revenue, count: count) }
        outcomes.ratios[
          ExperimentMetric.revenuePerPayer(currency).name,
          default: [Accrual<RatioTally>](repeating: Accrual(), count: arms)
        ][arm].add(daysBefore: days) { $0.add(numerator: revenue, denominator: hasPaid ? 1 : 0, count: count) }
      }
    }
    return payers.filter { $0.value > 0 }.sorted { left, right in
      left.value != right.value ? left.value > right.value : precedesInBytes(left.key, right.key)
    }.map(\.key)
  }
}
