import EventModel

/// A user's cancellation of a subscription or trial, and what became of it (definitions 12.5).
public struct CancellationFact: Equatable, Sendable {
  public enum Outcome: Sendable {
    /// Neither is known yet.
    case open
    /// Auto-renew was on again before the end, or the next payment came.
    case saved
    case lost
  }

  /// The time in which auto-renew turned on again means that the user regrets it, and a screen belongs to it.
  static let regretTime: Int64 = 3_600_000

  public var ts: Int64
  /// The end of the time paid for, or of the trial.
  public var end: Int64
  /// The end plus grace, when it is known whether it was saved.
  public var graceEnd: Int64
  public var outcome = Outcome.open
  /// The instant of the outcome; meaningless while open.
  public var ended: Int64
  /// Whether a payment saved it, and not a `reactivation`.
  public var isSavedByPayment = false
  /// Whether auto-renew was on again within the hour; then it does not count as a cancellation.
  public var isRegretted = false
  /// Whether the next payment has an offer that the last one had not.
  public var hasAcceptedOffer = false
  /// The entry point of the last impression within an hour; 0 if there is none.
  public var screen: NameID
  public var contexts: Range<Int>
  public var dimensions: UnitDimensions
}

extension PersonFold {
  /// A subscription, or a trial before its conversion, while its cancellations are recorded.
  private struct Renewal {
    var isOff = false
    /// A place in `facts.cancellations`: the one that may still be saved.
    var open: Int?
    /// The last one, until the next change of auto-renew.
    var last: Int?
    /// Those since the last payment.
    var unpaid: [Int] = []
    /// Whether the payment before the last one had an offer.
    var hadOffer = false
  }

  /// An active subscription or trial.
  private struct Unit {
    var end: Int64
    var graceEnd: Int64
    var contexts: Range<Int>
    var dimensions: UnitDimensions
  }

  /// The cover of a spell so far.
  private struct Cover {
    var spell: Int
    var end: CoverEnd
    /// Indices in `payments`; at least one.
    var payments: [Int]
  }

  /// Records the cancellations that turn auto-renew off; implements definitions 12.5; only with
  /// ``FoldOptions/takesCancellations``.
  mutating func recordCancellations(_ dictionaries: borrowing EventDictionaries) {
    let paymentAt = paymentsByPlace
    var subscriptions: [Int: Renewal] = [:]
    var ofTrials: [Int: Renewal] = [:]
    var covers: [Int: Cover] = [:]
    var begun = OpenTrials()
    for (place, event) in events.enumerated() {
      begun.add(trials, startedBy: event.ts)
      let subscription = Int(subscriptionOf[place])
      if let index = paymentAt[place] {
        let payment = payments[index]
        let hasOffer = dictionaries.terms[Int(event.terms)].hasOfferType
        let isSameSpell = covers[payment.subscription]?.spell == spellOfPayment[index]
        pay(&subscriptions[payment.subscription, default: Renewal()], at: event.ts, hasOffer, continues: isSameSpell)
        if let trial = payment.trial {
          pay(&ofTrials[trial, default: Renewal()], at: event.ts, hasOffer, continues: true)
        }
        if isSameSpell {
          covers[payment.subscription]?.end.add(payment)
          covers[payment.subscription]?.payments.append(index)
        } else {
          covers[payment.subscription] = Cover(spell: spellOfPayment[index], end: CoverEnd(payment), payments: [index])
        }
        continue
      }
      guard event.kind == .cancellation || event.kind == .reactivation else { continue }
      if let cover = covers[subscription], subscription != 0 {
        let unit = unit(of: cover, at: place) { paymentAt[$0] != nil }
        turn(&subscriptions[subscription, default: Renewal()], event, unit, dictionaries)
      } else if let number = trial(of: event, at: place, &begun, dictionaries) {
        let trial = facts.trials[number]
        let unit = Unit(
          end: trial.end, graceEnd: trial.deadline, contexts: trial.contexts, dimensions: trial.dimensions)
        turn(&ofTrials[number, default: Renewal()], event, event.ts < trial.end ? unit : nil, dictionaries)
      }
    }
    for number in facts.cancellations.indices where facts.cancellations[number].outcome == .open {
      let cancellation = facts.cancellations[number]
      if cancellation.graceEnd <= options.asOf { close(number, .lost, at: cancellation.end) }
    }
  }

  /// Returns the subscription that is active at the place of an event; `nil` if its cover is over, or that of a lifetime.
  private func unit(of cover: Cover, at place: Int, isPayment: (_ place: Int) -> Bool) -> Unit? {
    let end = cover.end.end
    guard events[place].ts < end, let last = cover.payments.last,
      !cover.payments.contains(where: { payments[$0].end == end && payments[$0].plan == .lifetime })
    else { return nil }
    let spell = facts.spells[cover.spell]
    let next = places.of(payments[last].subscription, from: place).first(where: isPayment)
    return Unit(
      end: end, graceEnd: graceEnd(after: payments[last], end, before: next), contexts: spell.contexts,
      dimensions: spell.dimensions)
  }

  private mutating func close(_ number: Int, _ outcome: CancellationFact.Outcome, at ts: Int64) {
    facts.cancellations[number].outcome = outcome
    facts.cancellations[number].ended = ts
  }

  /// - Parameter continues: Whether the payment belongs to the spell that was cancelled.
  private mutating func pay(_ renewal: inout Renewal, at ts: Int64, _ hasOffer: Bool, continues: Bool) {
    if continues, let number = renewal.open {
      close(number, .saved, at: ts)
      facts.cancellations[number].isSavedByPayment = true
    }
    if continues, hasOffer, !renewal.hadOffer {
      for number in renewal.unpaid { facts.cancellations[number].hasAcceptedOffer = true }
    }
    (renewal.isOff, renewal.open, renewal.unpaid, renewal.hadOffer) = (false, nil, [], hasOffer)
  }

  /// - Parameter unit: The unit of a cancellation at the event; `nil` if nothing is active.
  private mutating func turn(
    _ renewal: inout Renewal, _ event: PersonEvent, _ unit: Unit?, _ dictionaries: borrowing EventDictionaries
  ) {
    let last = renewal.last
    renewal.last = nil
    guard event.kind == .cancellation else {
      renewal.isOff = false
      if let last, event.ts < facts.cancellations[last].ts + CancellationFact.regretTime {
        facts.cancellations[last].isRegretted = true
      }
      // Behind the end, only a payment can save it.
      if let number = renewal.open, event.ts < facts.cancellations[number].end {
        close(number, .saved, at: event.ts)
        renewal.open = nil
      }
      return
    }
    defer { renewal.isOff = true }
    let reason = dictionaries.terms[Int(event.terms)].reason
    guard !renewal.isOff, reason == .unstated || reason == .voluntary, let unit else { return }
    let number = facts.cancellations.count
    (renewal.open, renewal.last) = (number, number)
    renewal.unpaid.append(number)
    facts.cancellations.append(
      CancellationFact(
        ts: event.ts, end: unit.end, graceEnd: unit.graceEnd, ended: event.ts,
        screen: screen(near: event.ts, dictionaries), contexts: unit.contexts, dimensions: unit.dimensions))
  }

  /// Returns the entry point of the last impression up to an hour after an instant, if it is no more than an hour before.
  private func screen(near ts: Int64, _ dictionaries: borrowing EventDictionaries) -> NameID {
    let end = impressionsEnd(at: ts + CancellationFact.regretTime)
    guard end > 0 else { return 0 }
    let event = events[impressions[end - 1]]
    if event.ts < ts - CancellationFact.regretTime { return 0 }
    return dictionaries.contexts[Int(event.context)].entryPoint
  }
}
