public import EventModel
public import Lifecycle

/// A person's spells with what was paid and given back, and the entry to the funnel.
public struct PersonMoney: Sendable {
  public struct Spell: Sendable {
    /// From 1, within its subscription.
    public var ordinal: Int
    public var start: Int64
    /// The greatest value for a lifetime.
    public var coverEnd: Int64
    public var graceEnd: Int64
    /// Definitions 2.9.
    public var isPurchase: Bool
    /// Auto-renew is off at the as-of.
    public var isOff: Bool
    /// Why it ended, where it has.
    public var reason: ChurnReason
    /// Its contexts and dimensions, into ``PersonMoney/credits``: one, or with `--attribution all` at least one.
    public var credits: Range<Int>
    /// Into ``PersonMoney/payments``: at least one.
    public var payments: Range<Int>
  }

  public struct Payment: Sendable {
    public var spell: Int
    public var ts: Int64
    public var plan: Plan
    /// Micro-units.
    public var price: Int64
    public var currency: NameID
    public var terms: Int32
    public var coverEnd: Int64
    /// The end of the period that was paid for, whatever cut the cover short; the greatest value for a lifetime.
    public var paidUntil: Int64
    /// When all of it had been given back; `nil` if never.
    public var refundedAt: Int64?
    /// Into ``PersonMoney/refunds``.
    public var refunds: Range<Int>
  }

  public struct Refund: Sendable {
    public var ts: Int64
    /// Micro-units.
    public var amount: Int64
    public var currency: NameID
  }

  public internal(set) var person: Int32 = 0
  /// The segment of the first impression; `nil` for none, and where entries are not read.
  public internal(set) var entry: Int32?
  /// By subscription, then in order of time.
  public internal(set) var spells: [Spell] = []
  /// In order of their spells, then of time.
  public internal(set) var payments: [Payment] = []
  /// In order of their payments, then of time.
  public internal(set) var refunds: [Refund] = []
  public internal(set) var credits: [UnitKey] = []

  mutating func removeAll() {
    entry = nil
    spells.removeAll(keepingCapacity: true)
    payments.removeAll(keepingCapacity: true)
    refunds.removeAll(keepingCapacity: true)
    credits.removeAll(keepingCapacity: true)
  }

  mutating func append(payment: Payment) {
    let place = payments.count
    payments.append(payment)
    spells[payment.spell].payments =
      (spells[payment.spell].payments.isEmpty ? place : spells[payment.spell].payments.lowerBound)..<place + 1
  }

  mutating func append(_ refund: Refund, of payment: Int) {
    let place = refunds.count
    refunds.append(refund)
    payments[payment].refunds =
      (payments[payment].refunds.isEmpty ? place : payments[payment].refunds.lowerBound)..<place + 1
  }
}

extension PersonMoney {
  /// Replaces everything by facts that were just folded.
  mutating func set(_ person: Int32, _ facts: borrowing PersonFacts, app: NameID, _ segments: SegmentNumbers) {
    removeAll()
    self.person = person
    if let fact = facts.entry {
      entry = segments.number(of: Segment(app: app, context: fact.context, fact.dimensions))
    }
    for fact in facts.spells {
      let first = credits.count
      for context in facts.contexts[fact.contexts] {
        credits.append(
          UnitKey(segments.number(of: Segment(app: app, context: context, fact.dimensions)), fact.dimensions))
      }
      spells.append(
        Spell(
          ordinal: fact.ordinal, start: fact.start, coverEnd: fact.end, graceEnd: fact.graceEnd,
          isPurchase: fact.isPurchase, isOff: fact.isOff, reason: fact.reason, credits: first..<credits.count,
          payments: 0..<0))
    }
    for fact in facts.payments {
      append(
        payment: Payment(
          spell: fact.spell, ts: fact.ts, plan: fact.plan, price: fact.price, currency: fact.currency,
          terms: fact.terms, coverEnd: fact.coverEnd, paidUntil: fact.paidUntil, refundedAt: fact.refundedAt,
          refunds: 0..<0))
    }
    for fact in facts.refunds {
      append(Refund(ts: fact.ts, amount: fact.amount, currency: fact.currency), of: fact.payment)
    }
  }
}
