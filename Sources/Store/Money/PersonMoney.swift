public import EventModel
public import Lifecycle

/// A person's spells with their payments and refunds, and the funnel entry.
public struct PersonMoney: Sendable {
  public struct Spell: Sendable {
    /// The number of the spell within its subscription, from 1.
    public var ordinal: Int
    public var start: Int64
    /// The end of the cover; the greatest value for a lifetime plan.
    public var coverEnd: Int64
    public var graceEnd: Int64
    /// Whether this is a first spell that starts with a `conversion` (definitions 2.9).
    public var isPurchase: Bool
    /// Whether auto-renew is off at the as-of.
    public var isOff: Bool
    /// The churn reason, if the spell has ended.
    public var reason: ChurnReason
    /// Its contexts and dimensions, a range in ``PersonMoney/credits``: one, or at least one with `--attribution all`.
    public var credits: Range<Int>
    /// Its payments, a range in ``PersonMoney/payments``: at least one.
    public var payments: Range<Int>
  }

  public struct Payment: Sendable {
    public var spell: Int
    public var ts: Int64
    public var plan: Plan
    /// The price in micro-units.
    public var price: Int64
    public var currency: NameID
    public var terms: Int32
    public var coverEnd: Int64
    /// The end of the period paid for, even if the cover ended earlier; the greatest value for a lifetime plan.
    public var paidUntil: Int64
    /// The time when the payment was refunded in full; `nil` if never.
    public var refundedAt: Int64?
    /// Its refunds, a range in ``PersonMoney/refunds``.
    public var refunds: Range<Int>
  }

  public struct Refund: Sendable {
    public var ts: Int64
    /// The amount in micro-units.
    public var amount: Int64
    public var currency: NameID
  }

  public internal(set) var person: Int32 = 0
  /// The cell key of the first impression; `nil` if there is none or entries are not read.
  public internal(set) var entry: Int32?
  /// The spells by subscription, then in time order.
  public internal(set) var spells: [Spell] = []
  /// The payments in the order of their spells, then in time order.
  public internal(set) var payments: [Payment] = []
  /// The refunds in the order of their payments, then in time order.
  public internal(set) var refunds: [Refund] = []
  public internal(set) var credits: [UnitKey] = []

  mutating func removeAll() {
    entry = nil
    spells.removeAll(keepingCapacity: true)
    payments.removeAll(keepingCapacity: true)
    refunds.removeAll(keepingCapacity: true)
    credits.removeAll(keepingCapacity: true)
  }

  /// Replaces the numbers of cell keys.
  mutating func renumber(_ number: (Int32) -> Int32) {
    entry = entry.map(number)
    for place in credits.indices { credits[place].cellKey = number(credits[place].cellKey) }
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
  /// Replaces everything with newly folded facts.
  mutating func set(_ person: Int32, _ facts: borrowing PersonFacts, app: NameID, _ cellKeys: CellKeyNumbers) {
    removeAll()
    self.person = person
    if let fact = facts.entry {
      entry = cellKeys.number(of: CellKey(app: app, context: fact.context, fact.dimensions))
    }
    for fact in facts.spells {
      let first = credits.count
      for context in facts.contexts[fact.contexts] {
        credits.append(
          UnitKey(cellKeys.number(of: CellKey(app: app, context: context, fact.dimensions)), fact.dimensions))
      }
      spells.append(Spell(fact, credits: first..<credits.count))
    }
    for fact in facts.payments { append(payment: Payment(fact)) }
    for fact in facts.refunds {
      append(Refund(ts: fact.ts, amount: fact.amount, currency: fact.currency), of: fact.payment)
    }
  }
}

extension PersonMoney.Spell {
  /// Creates a folded spell, without its payments.
  init(_ fact: SpellFact, credits: Range<Int>) {
    self.init(
      ordinal: fact.ordinal, start: fact.start, coverEnd: fact.end, graceEnd: fact.graceEnd,
      isPurchase: fact.isPurchase, isOff: fact.isOff, reason: fact.reason, credits: credits, payments: 0..<0)
  }
}

extension PersonMoney.Payment {
  /// Creates a folded payment, without its refunds.
  init(_ fact: PaymentFact) {
    self.init(
      spell: fact.spell, ts: fact.ts, plan: fact.plan, price: fact.price, currency: fact.currency, terms: fact.terms,
      coverEnd: fact.coverEnd, paidUntil: fact.paidUntil, refundedAt: fact.refundedAt, refunds: 0..<0)
  }
}
