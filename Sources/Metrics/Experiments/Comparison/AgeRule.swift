internal import Lifecycle
internal import Store

/// Computes differences of `paid` by days since the exposure, to show whether control makes up for an early lead
/// (D8.6).
///
/// `paid` happens once, so the shares at 1, 3, 7 and 14 days are cumulative; there is no test.
struct AgeRule {
  let exposed: ExposedPersons

  private static let ages = [1, 3, 7, 14]

  /// - Parameter arm: The treatment's place among the arms; 0 is control.
  /// - Returns: The differences; empty if one of the two arms has no analysed user.
  func differences(arm: Int) throws -> [AgeDifference] {
    let horizon = ExperimentMetric.paid.horizon
    let finder = try exposed.userFinder()
    func side(_ user: ExposedUser) -> Int? {
      user.exposedAt + horizon <= exposed.asOf ? exposed.side(of: user, against: arm) : nil
    }
    var users = [0, 0]
    for user in finder.users { if let side = side(user) { users[side] += 1 } }
    var paid = Self.ages.map { _ in [0, 0] }
    try PaymentHistoryReader(exposed.query.facts, of: finder.persons).forEachPerson { money in
      guard let user = finder.user(money.person), let side = side(user) else { return }
      let purchases = money.spells.lazy.filter { $0.isPurchase && $0.start >= user.exposedAt }
      guard let first = purchases.map(\.start).min() else { return }
      for (place, days) in Self.ages.enumerated() where first - user.exposedAt < Int64(days) * day {
        paid[place][side] += 1
      }
    }
    guard users.allSatisfy({ $0 > 0 }) else { return [] }
    return zip(Self.ages, paid).map { days, paid in
      let shares = zip(paid, users).map { Double($0) / Double($1) }
      return AgeDifference(days: days, control: shares[0], treatment: shares[1])
    }
  }
}
