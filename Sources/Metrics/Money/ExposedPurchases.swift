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
        try add(
          spell, of: money, to: &purchases[arm][plan, default: ValueRows.Purchases()],
          isMature: exposedAt + horizon <= exposed.asOf,
          DueDates(spell, of: money, grace: query.options.grace, asOf: exposed.asOf))
      }
    }
  }

  private func add(
    _ spell: PersonMoney.Spell, of money: borrowing PersonMoney, to purchases: inout ValueRows.Purchases,
    isMature: Bool, _ dates: DueDates
  ) throws {
    purchases.counts.add(dates)
    var renewals: [Int64: ValueRows.Mean] = [:]
    for place in spell.payments {
      let payment = money.payments[place]
      func left(given: Int64) throws -> Int128 {
        try remainder.left(payment.price, given: given, payment.currency, Int64(payment.terms), at: payment.ts)
      }
      let code = remainder.money.code(payment.currency)
      let amount = try left(given: money.given(of: payment))
      if place > spell.payments.lowerBound {
        renewals[code, default: ValueRows.Mean()].add(amount)
      } else if isMature {
        purchases.firstPayments[code, default: [:]][amount, default: 0] += 1
        purchases.firstPrices[code, default: ValueRows.Mean()].add(try left(given: 0))
      }
    }
    purchases.addBuyer(renewals)
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
