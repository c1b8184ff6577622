import EventModel

/// A failed charge and what became of it (definitions 12.1).
public struct FailedChargeFact: Equatable, Sendable {
  public enum Outcome: Sendable {
    /// Neither is known yet.
    case open
    case recovered
    /// The user cancelled, or the last payment was refunded.
    case cancelled
    /// Nothing happened within ``FailedChargeFact/window``.
    case lost
  }

  /// How long a charge can be recovered.
  public static let window = 60 * day

  /// A payment of it, or before it.
  public struct Paid: Equatable, Sendable {
    public var ts: Int64
    /// In micro-units.
    public var price: Int64
    public var currency: NameID
    public var terms: Int32

    public init(ts: Int64, price: Int64, currency: NameID, terms: Int32) {
      (self.ts, self.price, self.currency, self.terms) = (ts, price, currency, terms)
    }
  }

  public var opened: Int64
  public var outcome = Outcome.open
  /// The instant of the outcome; meaningless while open.
  public var ended: Int64
  public var isOfTrial: Bool
  /// How many payments its subscription had made; `nil` of a trial, and of a subscription that began before the data.
  public var paymentsMade: Int?
  public var product: NameID
  /// The last payment before it; `nil` of a trial.
  public var before: Paid?
  /// The payment that ended it; `nil` if none did.
  public var recovery: Paid?
  /// The end of what was paid for, or of the trial.
  public var coverEnd: Int64
  /// The end of cover and grace, after which the user has no access.
  public var accessEnd: Int64
  public var contexts: Range<Int>
  public var dimensions: UnitDimensions
}

extension PersonFold {
  /// Records failed charges; implements definitions 12.1; only with ``FoldOptions/takesFailedCharges``.
  mutating func recordFailedCharges(_ dictionaries: borrowing EventDictionaries) {
    let paymentAt = paymentsByPlace
    /// Places in `facts.failedCharges`, by subscription and by trial.
    var open: [Int: Int] = [:]
    var openOfTrial: [Int: Int] = [:]
    /// By subscription, an index in `payments`.
    var lastPayment: [Int: Int] = [:]
    /// By subscription that began within the data (definitions 2.9), how many payments it has made.
    var made: [Int: Int] = [:]
    var begun = OpenTrials()
    for (place, event) in events.enumerated() {
      begun.add(trials, startedBy: event.ts)
      let subscription = Int(subscriptionOf[place])
      if let index = paymentAt[place] {
        let payment = payments[index]
        let paid = paid(payment, dictionaries)
        if let number = open.removeValue(forKey: payment.subscription) { recover(number, by: paid) }
        if let trial = payment.trial, let number = openOfTrial.removeValue(forKey: trial) { recover(number, by: paid) }
        if let known = made[payment.subscription] {
          made[payment.subscription] = known + 1
        } else if lastPayment[payment.subscription] == nil, facts.spells[spellOfPayment[index]].isPurchase {
          made[payment.subscription] = 1
        }
        lastPayment[payment.subscription] = index
        continue
      }
      switch event.kind {
      case .billingIssue:
        if let last = lastPayment[subscription], subscription != 0 {
          if let number = open[subscription], !isOver(number, at: event.ts) { continue }
          open[subscription] = facts.failedCharges.count
          facts.failedCharges.append(failedCharge(at: event.ts, after: last, made: made[subscription], dictionaries))
        } else if let trial = trial(of: event, at: place, &begun, dictionaries) {
          if let number = openOfTrial[trial], !isOver(number, at: event.ts) { continue }
          openOfTrial[trial] = facts.failedCharges.count
          facts.failedCharges.append(failedCharge(at: event.ts, ofTrial: trial))
        }
      case .cancellation:
        let reason = dictionaries.terms[Int(event.terms)].reason
        guard reason == .unstated || reason == .voluntary else { continue }
        if let number = open[subscription], subscription != 0 {
          open[subscription] = nil
          cancel(number, at: event.ts)
        }
        if !openOfTrial.isEmpty, let trial = trial(of: event, at: place, &begun, dictionaries),
          let number = openOfTrial.removeValue(forKey: trial)
        {
          cancel(number, at: event.ts)
        }
      case .refund:
        guard let number = open[subscription], let last = lastPayment[subscription],
          refunds.contains(where: { $0.payment == last && $0.ts == event.ts })
        else { continue }
        open[subscription] = nil
        cancel(number, at: event.ts)
      default: break
      }
    }
    for number in facts.failedCharges.indices where facts.failedCharges[number].outcome == .open {
      let end = facts.failedCharges[number].opened + FailedChargeFact.window
      if end <= options.asOf { close(number, .lost, at: end) }
    }
  }

  private func isOver(_ number: Int, at ts: Int64) -> Bool {
    facts.failedCharges[number].opened + FailedChargeFact.window <= ts
  }

  private mutating func close(_ number: Int, _ outcome: FailedChargeFact.Outcome, at ts: Int64) {
    facts.failedCharges[number].outcome = outcome
    facts.failedCharges[number].ended = ts
  }

  private mutating func cancel(_ number: Int, at ts: Int64) {
    // At the end of the window itself the charge is lost.
    if !isOver(number, at: ts) { close(number, .cancelled, at: ts) }
  }

  private mutating func recover(_ number: Int, by paid: FailedChargeFact.Paid) {
    // A payment comes before all else at its instant.
    guard paid.ts <= facts.failedCharges[number].opened + FailedChargeFact.window else { return }
    close(number, .recovered, at: paid.ts)
    facts.failedCharges[number].recovery = paid
  }

  private func paid(_ payment: Payment, _ dictionaries: borrowing EventDictionaries) -> FailedChargeFact.Paid {
    let number = events[payment.place].terms
    let terms = dictionaries.terms[Int(number)]
    return FailedChargeFact.Paid(
      ts: payment.ts, price: terms.price ?? 0, currency: terms.currency, terms: number)
  }

  private func failedCharge(
    at ts: Int64, after last: Int, made: Int?, _ dictionaries: borrowing EventDictionaries
  ) -> FailedChargeFact {
    let payment = payments[last]
    let spell = facts.spells[spellOfPayment[last]]
    return FailedChargeFact(
      opened: ts, ended: ts, isOfTrial: false, paymentsMade: made,
      product: dictionaries.terms[Int(events[payment.place].terms)].product, before: paid(payment, dictionaries),
      coverEnd: payment.end, accessEnd: graceEnd(after: payment, payment.end), contexts: spell.contexts,
      dimensions: spell.dimensions)
  }

  private func failedCharge(at ts: Int64, ofTrial number: Int) -> FailedChargeFact {
    let trial = facts.trials[number]
    return FailedChargeFact(
      opened: ts, ended: ts, isOfTrial: true, product: trial.product, coverEnd: trial.end,
      accessEnd: trial.deadline, contexts: trial.contexts, dimensions: trial.dimensions)
  }

  /// Returns the unconverted introductory trial that an event belongs to by ``isOf(_:trial:_:_:)``; the newest of
  /// several.
  func trial(
    of event: PersonEvent, at place: Int, _ begun: inout OpenTrials, _ dictionaries: borrowing EventDictionaries
  ) -> Int? {
    begun.candidates(event.subscription, in: trials, at: event.ts).last { index in
      if let conversion = trials[index].conversion, payments[conversion].place < place { return false }
      return isOf(event, trial: index, begun, dictionaries)
    }
  }
}
