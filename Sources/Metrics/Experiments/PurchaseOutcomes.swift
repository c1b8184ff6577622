/// `paid` (definitions 8.3): a purchase (2.9) within 14 days.
struct PurchaseOutcomes {
  let exposed: ExposedPersons

  func add(to table: inout OutcomeTable) throws {
    try exposed.forEachGroup(
      """
      SELECT variant, age\(exposed.query.by.indices.map { ", d\($0)" }.joined()), COUNT(*)
      FROM (
        SELECT DISTINCT e.person, e.variant AS variant, e.age AS age\(
          exposed.query.by.indices.map { ", e.d\($0) AS d\($0)" }.joined())
        FROM \(exposed.query.facts.table(.spell)) AS s
        JOIN \(ExposedPersons.table) AS e ON e.person = s.person
        WHERE s.is_purchase = 1 AND s.credit = 0
          AND s.start >= e.ts AND s.start < e.ts + \(ExperimentMetric.paid.horizon)
      ) AS p
      GROUP BY variant, age\(exposed.query.by.indices.map { ", d\($0)" }.joined())
      """
    ) { arm, age, codes, row, first in
      table.addEvents(.paid, codes, arm: arm, age: age, count: row.int(first))
    }
  }
}
