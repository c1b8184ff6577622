internal import EventModel
internal import Lifecycle
internal import Store

/// Describes the effect of each event of a user on the user's facts, as read from the facts.
struct EventRoles {
  private let history: PersonHistory
  private let topics: Set<EventTopic>
  private let attribution: Attribution
  private var facts: PersonFacts { history.facts }
  /// Returns an additional remark on an event that counts.
  var remark: (PersonHistory.Event) -> String? = { _ in nil }
  /// First exposures to experiments, with a remark on each.
  var sights: [Sight] = []

  struct Sight {
    var experiment: NameID
    /// The variant; `nil` for any.
    var variant: NameID?
    var ts: Int64
    var text: String
  }

  init(_ history: PersonHistory, topics: Set<EventTopic>, attribution: Attribution) {
    self.history = history
    self.topics = topics
    self.attribution = attribution
  }

  /// Returns the events with an effect, in order of time.
  func events() -> [PersonHistory.Event] { told().filter { !$0.role.isEmpty } }

  /// Returns all events with what they did, in order of time.
  func told() -> [PersonHistory.Event] {
    let credits = credits()
    var isFirst = true
    var hasEntered = false
    var sights = sights
    var events: [PersonHistory.Event] = []
    for (place, var event) in history.events.enumerated() {
      var roles: [String] = []
      if let exclusion = event.exclusion {
        if isOfTopic(event.kind) { roles = [Self.text(exclusion)] }
      } else {
        if isFirst, topics.contains(.first) { roles.append("first event of the user (7.5)") }
        isFirst = false
        if event.kind == .paywallImpression {
          if !hasEntered, topics.contains(.entry) { roles.append("first paywall view ever (3.1)") }
          hasEntered = true
        }
        if event.kind == .paywallImpression || event.kind == .exposure,
          let place = sights.firstIndex(where: {
            $0.ts == event.ts && $0.experiment == event.context.experiment
              && ($0.variant == nil || $0.variant == event.context.variant)
          })
        {
          roles.append(sights.remove(at: place).text)
        }
        roles += self.roles(event)
        if let remark = remark(event) { roles.append(remark) }
        if let credit = credits[place] { roles.append(credit) }
      }
      event.role = roles.joined(separator: "; ")
      events.append(event)
    }
    return events
  }

  private static func text(_ exclusion: PersonHistory.Exclusion) -> String {
    switch exclusion {
    case .afterAsOf: "left out: after the end of the data (1.1)"
    case .sandbox: "left out: sandbox (1.5)"
    case .familyShared: "left out: family-shared (1.5)"
    }
  }

  private var hasPurchases: Bool { topics.contains(.purchases) || topics.contains(.payments) }

  private func isOfTopic(_ kind: EventKind) -> Bool { Self.isOfTopic(kind, topics) }

  /// Whether events of a kind may have an effect that the topics are about, besides a first event of any kind.
  static func isOfTopic(_ kind: EventKind, _ topics: Set<EventTopic>) -> Bool {
    switch kind {
    case .paywallImpression: !topics.isDisjoint(with: [.entry, .impressions, .views, .prices])
    case .trialStart: topics.contains(.trials)
    case .conversion, .payment: !topics.isDisjoint(with: [.trials, .purchases, .payments])
    case .renewal, .planChange: topics.contains(.payments)
    case .refund: topics.contains(.refunds)
    case .cancellation, .reactivation: topics.contains(.autoRenewal)
    case .expiration, .billingIssue: topics.contains(.ends)
    case .purchaseStarted, .paywallDismissal: topics.contains(.sheets)
    case .gateHit: topics.contains(.gates)
    case .trialNudge: topics.contains(.nudges)
    case .activity: topics.contains(.activity)
    case .identify: true
    default: false
    }
  }

  private func roles(_ event: PersonHistory.Event) -> [String] {
    guard isOfTopic(event.kind) else { return [] }
    switch event.kind {
    case .paywallImpression: return topics.contains(.views) ? ["a paywall view"] : prices(event)
    case .trialStart: return [trialStart(event)]
    case .conversion, .renewal, .payment, .planChange: return conversion(event) + payment(event)
    case .refund: return refund(event)
    case .cancellation, .reactivation: return autoRenewal(event)
    case .expiration: return ["access ended (2.7)"]
    case .billingIssue: return ["a charge failed (1.7)"]
    case .purchaseStarted: return ["opened the store's sheet (11.2)"]
    case .paywallDismissal: return ["closed the paywall (11.2)"]
    case .gateHit: return ["hit the limit \(event.gate)"]
    case .trialNudge: return ["reminder"]
    case .activity: return ["active"]
    case .identify: return ["joins \(event.user) with \(event.previousUser) (1.3)"]
    default: return []
    }
  }

  private func prices(_ event: PersonHistory.Event) -> [String] {
    guard topics.contains(.prices), let monthly = event.monthlyPrice, let yearly = event.yearlyPrice else { return [] }
    return ["shows \(Self.decimal(monthly)) monthly and \(Self.decimal(yearly)) yearly, \(event.currency) (5.1)"]
  }

  private func trialStart(_ event: PersonHistory.Event) -> String {
    // Of several starts at one instant, each opens one trial, in order.
    let starts = history.events.filter { $0.kind == .trialStart && $0.ts == event.ts && $0.exclusion == nil }
    let trials = facts.trials.filter { $0.start == event.ts }
    guard let number = starts.firstIndex(where: { $0.id == event.id }), number < trials.count else {
      return "repeats an open trial (2.2)"
    }
    let trial = trials[number]
    let kind = trial.dimensions.trialKind == .app ? "app trial" : "introductory trial"
    let end = "until \(ReportQuery.instant(trial.end)), deadline \(ReportQuery.instant(trial.deadline)) (2.2)"
    if let convertedAt = trial.convertedAt {
      return "opens an \(kind) \(end); converted \(ReportQuery.instant(convertedAt)) (2.3)"
    }
    return "opens an \(kind) \(end); no conversion (2.5)"
  }

  private func conversion(_ event: PersonHistory.Event) -> [String] {
    guard event.kind == .conversion || event.kind == .payment, topics.contains(.trials) else { return [] }
    return facts.conversions.filter { $0.ts == event.ts }.prefix(1).map { conversion in
      guard let start = conversion.trialStart else { return "a direct purchase, without a trial (2.3)" }
      let end = facts.trials.first { $0.start == start && $0.convertedAt == event.ts }?.end
      let gap = end.map { ", \(Self.gap(event.ts - $0)) its end" } ?? ""
      return "converts the trial of \(ReportQuery.instant(start))\(gap) (2.3)"
    }
  }

  /// Such as `7 min after`.
  private static func gap(_ milliseconds: Int64) -> String {
    let minutes = (milliseconds.magnitude + 30_000) / 60_000
    if minutes == 0 { return "at" }
    let length = minutes < 120 ? "\(minutes) min" : minutes < 2_880 ? "\(minutes / 60) h" : "\(minutes / 1_440) d"
    return "\(length) \(milliseconds > 0 ? "after" : "before")"
  }

  private func payment(_ event: PersonHistory.Event) -> [String] {
    guard hasPurchases else { return [] }
    let price = event.price ?? 0
    guard
      let payment = facts.payments.first(where: {
        $0.ts == event.ts && ($0.kind == event.kind || event.kind == .payment) && $0.price == price
      })
    else {
      return event.kind == .conversion && price == 0 && event.hasOfferType
        ? ["a grant: price 0 with an offer (1.5)"] : ["not a payment (2.6)"]
    }
    let spell = facts.spells[payment.spell]
    let number = facts.payments.count { $0.spell == payment.spell && $0.ts < payment.ts } + 1
    let cover = payment.coverEnd == .max ? "forever" : "until \(ReportQuery.instant(payment.coverEnd))"
    let period = spell.ordinal > 1 ? " of subscription period \(spell.ordinal)" : ""
    var text = "payment \(number)\(period), \(Self.decimal(price)) \(event.currency), covers \(cover) (2.6, 2.7)"
    if let refundedAt = payment.refundedAt { text += "; refunded in full \(ReportQuery.instant(refundedAt))" }
    if number == 1 && payment.ts == spell.start {
      text +=
        spell.isPurchase
        ? "; a purchase (2.9)" : spell.ordinal > 1 ? "; a resubscription (2.8)" : "; not a purchase (2.9)"
    }
    return [text]
  }

  private func refund(_ event: PersonHistory.Event) -> [String] {
    let refunds = facts.refunds.filter { $0.ts == event.ts }
    if refunds.isEmpty { return ["refunds an unknown payment, or one already refunded in full (2.7)"] }
    return refunds.map {
      "refunds \(Self.decimal($0.amount)) of the payment of \(ReportQuery.instant(facts.payments[$0.payment].ts)) (2.7)"
    }
  }

  private func autoRenewal(_ event: PersonHistory.Event) -> [String] {
    let what = event.kind == .cancellation ? "auto-renew off" : "auto-renew on again"
    if let start = event.churnedTrial { return ["\(what) in the trial of \(ReportQuery.instant(start)) (2.4)"] }
    return [
      facts.spells.contains { $0.start <= event.ts && event.ts < $0.end }
        ? "\(what) (6.2)" : "\(what), outside any paid period"
    ]
  }

  /// Returns the trials and purchases credited to the context of an event, by the event's place.
  private func credits() -> [Int: String] {
    guard topics.contains(.impressions) else { return [:] }
    var units: [(ts: Int64, contexts: Range<Int>, what: String)] = []
    if topics.contains(.trials) { units += facts.trials.map { ($0.start, $0.contexts, "trial") } }
    if hasPurchases { units += facts.spells.map { ($0.start, $0.contexts, "purchase") } }
    var credits: [Int: String] = [:]
    for unit in units {
      let contexts = facts.contexts[unit.contexts]
      let window = history.events.indices.filter { place in
        let event = history.events[place]
        return event.kind == .paywallImpression && event.exclusion == nil && event.ts <= unit.ts
          && event.ts > unit.ts - FoldOptions.attributionWindow && contexts.contains(event.context)
      }
      let chosen: [Int] =
        switch attribution {
        case .last: Array(window.suffix(1))
        case .first: Array(window.prefix(1))
        case .all: window
        }
      for place in chosen {
        credits[place] = "credited with the \(unit.what) of \(ReportQuery.instant(unit.ts)) (2.10)"
      }
    }
    return credits
  }

  /// Returns an amount in units of 10^−`places` as a decimal number, without trailing zeros after the second place.
  static func decimal(_ amount: some BinaryInteger, places: Int = 6) -> String {
    var digits = String(amount.magnitude)
    digits = String(repeating: "0", count: max(0, places + 1 - digits.utf8.count)) + digits
    var fraction = digits.suffix(places)
    while fraction.utf8.count > 2, fraction.utf8.last == UInt8(ascii: "0") { fraction.removeLast() }
    return "\(amount < 0 ? "-" : "")\(digits.dropLast(places)).\(fraction)"
  }
}

extension PersonFacts {
  /// Returns the first exposure to each variant.
  ///
  /// - Parameter experiment: `nil` for all experiments.
  func sights(_ facts: FactSource, of experiment: NameID? = nil) -> [EventRoles.Sight] {
    exposures.filter { experiment == nil || $0.experiment == experiment }.map { exposure in
      let names = [exposure.experiment, exposure.variant].map { facts.name(Int($0)) }
      return EventRoles.Sight(
        experiment: exposure.experiment, variant: exposure.variant, ts: exposure.ts,
        text: "first exposure to the variant \(names[1]) of \(names[0]) (8.1)")
    }
  }
}
