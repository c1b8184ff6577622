internal import EventModel
internal import Lifecycle

/// Computes a metric under some settings for one user at a time; implements definitions 13.1.
struct BridgeRules {
  let days: BridgeCount.Days
  let settings: Set<VendorSetting>
  /// Days from the first event in which payments count.
  let window: Int
  let off: Set<BridgePersons.SpellKey>

  // MARK: - Trials

  /// The end of a trial's access, or the instant of its conversion if that comes first.
  func end(of trial: TrialFact) -> Int64 {
    let end = settings.contains(.accessToGrace) ? min(trial.deadline, trial.expiredAt ?? .max) : trial.end
    return min(end, trial.convertedAt ?? .max)
  }

  /// Whether a trial counts as converted, by the rules `link`, `window` and `refund`.
  func isConverted(_ trial: TrialFact, of person: BridgePersons.Person) -> Bool {
    if !settings.contains(.linkEver), !settings.contains(.linkChain) {
      guard let converted = trial.convertedAt, isWithin(converted, trial) else { return false }
      // Of two payments at that instant, the one for the trial's product.
      let own = person.payments.filter { $0.fact.ts == converted }
      let payment =
        own.first {
          person.spells[$0.fact.spell].subscription == trial.subscription && $0.fact.product == trial.product
        }
        ?? own.first { $0.fact.product == trial.product } ?? own.first
      return payment.map { isKept($0.fact, firstSeen: nil) } ?? true
    }
    return person.payments.contains { payment in
      let fact = payment.fact
      guard fact.ts >= trial.start, isWithin(fact.ts, trial), isKept(fact, firstSeen: nil) else { return false }
      if settings.contains(.linkEver) { return true }
      return trial.subscription != 0
        ? person.spells[fact.spell].subscription == trial.subscription : fact.product == trial.product
    }
  }

  private func isWithin(_ ts: Int64, _ trial: TrialFact) -> Bool {
    settings.allSatisfy { setting in
      if case .within(let length) = setting { ts < trial.start + Int64(length) * day } else { true }
    }
  }

  /// Whether a payment that was given back still counts as a conversion.
  func isKept(_ payment: PaymentFact, firstSeen: Int64?) -> Bool {
    guard let refunded = payment.refundedAt else { return true }
    if settings.contains(.refundUncounted) { return false }
    guard settings.contains(.refundUncountedInWindow), let firstSeen else { return true }
    return !isInWindow(refunded, from: firstSeen)
  }

  // MARK: - Users first seen

  /// Whether an instant is in the days that count from a first event.
  func isInWindow(_ ts: Int64, from firstSeen: Int64) -> Bool {
    if settings.contains(.unlimited) { return true }
    if settings.contains(.completeDays) {
      return days.time.day(of: ts) - days.time.day(of: firstSeen) <= Int64(window)
    }
    return ts < firstSeen + Int64(window) * day
  }

  // MARK: - Refunds

  /// Returns whether a payment counts, and whether it was given back in full or in part.
  func refundPart(of number: Int, _ person: BridgePersons.Person, isOnDays: Bool) -> BridgeCount.Part {
    let payment = person.payments[number]
    let isFirst = number == 0 || person.payments[number - 1].fact.spell != payment.fact.spell
    let isPurchase = isFirst && person.spells[payment.fact.spell].isPurchase
    let isCounted = isOnDays && (isPurchase || !settings.contains(.baseFirstPurchases))
    let isRefunded =
      settings.contains(.refundOnOwnDay)
      ? payment.refunds.contains { days.contains($0.ts) } : isOnDays && !payment.refunds.isEmpty
    return BridgeCount.Part(met: isRefunded ? 1 : 0, of: isCounted ? 1 : 0)
  }

  // MARK: - Subscriptions

  /// The changes of a spell, each worth one subscription or its part of a month: the
  /// movements of ``SpellHistory`` under the vendor's rules.
  ///
  /// - Parameter metric: With recurring revenue, worth is money; only those of churn count lifetime plans.
  func changes(
    of number: Int, _ person: BridgePersons.Person, _ metric: VendorMetric
  ) -> [SpellHistory.Change] {
    let payments = person.payments.filter { $0.fact.spell == number }
    guard !payments.isEmpty else { return [] }
    let spell = person.spells[number]
    let accessEnd = accessEnd(of: spell, payments)
    let levels = payments.enumerated().map { place, payment in
      // With grace as access, gaps before a late payment have access, too, until the subscription expires.
      let next = place + 1 < payments.count ? payments[place + 1].fact.ts : accessEnd
      let expiredAt = payment.fact.expiredAt ?? .max
      let isCounted = payment.fact.plan != .lifetime || metric == .churnRate || metric == .churnedSubscriptions
      let worth = metric == .mrr ? monthly(payment) : 1
      return SpellHistory.Payment(
        ts: payment.fact.ts,
        coverEnd: accessEnd == nil ? payment.fact.coverEnd : min(max(payment.fact.coverEnd, next ?? 0), expiredAt),
        level: isCounted ? SpellHistory.Level(currency: 0, amount: worth) : nil)
    }
    var changes: [SpellHistory.Change] = []
    let hasExpired = settings.contains(.accessToGrace) && payments.last?.fact.expiredAt != nil
    SpellHistory.set(
      &changes, levels, ordinal: spell.ordinal, isChurned: hasExpired || spell.graceEnd <= days.asOf)
    return changes
  }

  /// Whether the subscription of a spell that was active before the days ends on them with a change to another product.
  func isReplaced(_ number: Int, of person: BridgePersons.Person) -> Bool {
    guard settings.contains(.changeIsNew) else { return false }
    let payments = person.payments.filter { $0.fact.spell == number }
    guard let inForce = payments.last(where: { $0.fact.ts < days.begin }) else { return false }
    return payments.contains { $0.fact.product != inForce.fact.product && days.hasChange(at: $0.fact.ts) }
  }

  /// The end of a spell's access if grace is part of it: that of its grace, unless a refund cut the spell short. An
  /// expiration ends it sooner.
  private func accessEnd(of spell: SpellFact, _ payments: [BridgePersons.Payment]) -> Int64? {
    guard settings.contains(.accessToGrace) else { return nil }
    let isCut = payments.contains { payment in
      let fact = payment.fact
      guard fact.coverEnd == spell.end, fact.coverEnd < fact.paidUntil, let refunded = fact.refundedAt else {
        return false
      }
      return max(refunded, fact.ts) == fact.coverEnd
    }
    return isCut ? spell.end : spell.graceEnd
  }

  /// Whether a spell is left out because its auto-renew is off.
  func isOff(_ spell: SpellFact, of person: BridgePersons.Person) -> Bool {
    settings.contains(.renewalOffNotActive)
      && off.contains(
        BridgePersons.SpellKey(
          person: person.number, subscription: spell.subscription, product: spell.product, ordinal: spell.ordinal))
  }

  /// A payment's part of a month, in ``BridgeCount/scale`` of a micro-unit: that of ``MRR`` except for the length of a
  /// week.
  func monthly(_ payment: BridgePersons.Payment) -> Int128 {
    for case .weeks(let numerator, let denominator) in settings where payment.fact.plan == .weekly {
      return payment.amount * MRR.parts * 23 * Int128(numerator) / Int128(denominator)
    }
    return (MRR.amount(payment.fact.plan, price: payment.amount) ?? 0) * 23
  }
}
