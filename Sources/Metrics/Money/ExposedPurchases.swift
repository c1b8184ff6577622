internal import EventModel
internal import Lifecycle
internal import Store

/// Reads the purchases and payments of an experiment's exposed users, by arm and plan.
struct ExposedPurchases {
  /// Users exposed at least a funnel horizon before the as-of, and that of the metric `paid`, by arm (3.3, 8.2).
  private(set) var users: [Int]
  /// Purchases by arm, then plan.
  private(set) var purchases: [[Plan: ValueRows.Purchases]]
  let remainder: PaymentRemainder

  init(_ exposed: ExposedPersons, _ remainder: PaymentRemainder) throws {
    self.remainder = remainder
    users = [Int](repeating: 0, count: exposed.names.count)
    purchases = [[Plan: ValueRows.Purchases]](repeating: [:], count: exposed.names.count)
    let query = exposed.query
    let finder = try exposed.userFinder()
    // The trials that a horizon depends on come from the same fold.
    let converted = try Self.conversions(exposed, finder)
    let horizon = max(try Funnel.horizons(query, nil)[exposed.app.id] ?? 0, ExposureOutcome.paidHorizon)
    for user in finder.users where user.exposedAt + horizon <= exposed.asOf {
      if !user.isCrossed, let arm = exposed.arm(user.variant) { users[arm] += 1 }
    }
    try PaymentHistoryReader(query.facts).forEachPerson(where: finder.contains) { money in
      guard let user = finder.user(money.person), let arm = exposed.arm(user.variant) else { return }
      let exposedAt = user.exposedAt
      for spell in money.spells where spell.isPurchase && spell.start >= exposedAt {
        let isInTime =
          spell.start < exposedAt + ExposureOutcome.paidHorizon
          || converted[money.person]?.contains(spell.start) ?? false
        guard isInTime, let plan = money.payments[spell.payments].first?.plan else { continue }
        try purchases[arm][plan, default: ValueRows.Purchases()].add(
          spell, of: money, isMature: exposedAt + horizon <= exposed.asOf,
          DueDates(spell, of: money, grace: query.options.grace, asOf: exposed.asOf), remainder)
      }
    }
  }

  /// Returns by user the conversion instants of introductory trials started within 7 days of the exposure.
  private static func conversions(
    _ exposed: ExposedPersons, _ finder: ExposedPersons.UserFinder
  ) throws -> [Int32: [Int64]] {
    var found: [Int32: [Int64]] = [:]
    try exposed.query.facts.forEachPersonWithCredits(withTrials: false, withPurchases: false) { person, units, _ in
      guard let user = finder.user(person) else { return }
      let times = units.conversions.lazy.filter { conversion in
        guard let start = conversion.introductoryStart else { return false }
        return start >= user.exposedAt && start - user.exposedAt < ExposureOutcome.trialHorizon
      }.map(\.ts)
      if !times.isEmpty { found[person, default: []] += times }
    }
    return found
  }
}
