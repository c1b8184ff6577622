internal import Lifecycle
internal import Store

/// Computes differences of `paid` by days since the exposure, to show whether control makes up for an early lead
/// (D8.6).
///
/// `paid` happens once, so the shares at 1, 3, 7 and 14 days are cumulative; there is no test.
struct AgeRule {
  let exposed: ExposedPersons
  let plan: ExperimentPlan

  private static let ages = [1, 3, 7, 14]

  /// - Parameter arm: The treatment's place among the arms; 0 is control.
  /// - Returns: The differences; empty if one of the two arms has no analysed user.
  func differences(arm: Int) throws -> [AgeDifference] {
    let horizon = ExperimentMetric.paid.horizon
    let analysed = try exposed.people(plan).filter { person in
      !person.unit.isCrossed && person.unit.ts + horizon <= exposed.asOf
        && (exposed.arm(person.variant) == 0 || exposed.arm(person.variant) == arm)
    }
    let exposedAt = Dictionary(analysed.map { ($0.person, $0.unit.ts) }) { first, _ in first }
    var paidAfter: [Int32: Int64] = [:]
    try exposed.query.facts.forEachRow(
      """
      SELECT person, start FROM \(exposed.query.facts.table(.spell)) AS s
      WHERE app = \(exposed.app.id) AND is_purchase = 1 AND credit = 0
      """
    ) { row in
      guard let since = exposedAt[Int32(row[0])], row[1] >= since else { return }
      paidAfter[Int32(row[0])] = min(paidAfter[Int32(row[0])] ?? .max, row[1] - since)
    }
    var users = [0, 0]
    var paid = Self.ages.map { _ in [0, 0] }
    for person in analysed {
      let side = exposed.arm(person.variant) == 0 ? 0 : 1
      users[side] += 1
      guard let time = paidAfter[person.person] else { continue }
      for (place, days) in Self.ages.enumerated() where time < Int64(days) * day { paid[place][side] += 1 }
    }
    guard users.allSatisfy({ $0 > 0 }) else { return [] }
    return zip(Self.ages, paid).map { days, paid in
      let shares = zip(paid, users).map { Double($0) / Double($1) }
      return AgeDifference(days: days, control: shares[0], treatment: shares[1])
    }
  }
}
