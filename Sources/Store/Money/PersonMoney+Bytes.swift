internal import EventModel
internal import Lifecycle

/// The encoding of spells, payments and refunds: each spell is followed by its payments, and each payment by its
/// refunds. Numbers are varints, instants are distances from the previous one, and a bit says that a payment has the
/// same terms as the previous payment.
extension PersonMoney {
  /// The greatest instant, which stands for one that never comes.
  private static let never = Int64.max

  /// Appends everything except the entry; each spell must have one credit.
  func encode(to bytes: inout [UInt8]) {
    Varint.append(UInt64(spells.count), to: &bytes)
    var encoding = Encoding()
    for spell in spells {
      encoding.append(spell, credits[spell.credits.lowerBound], payments: spell.payments.count, to: &bytes)
      for payment in payments[spell.payments] { encoding.append(payment, refunds[payment.refunds], to: &bytes) }
    }
  }

  /// The encoding of spells and payments one by one, behind the number of spells.
  struct Encoding {
    private var last = Int64(0)
    private var terms = PaymentTerms()

    /// Appends a spell, whose payments must follow.
    mutating func append(_ spell: Spell, _ credit: UnitKey, payments: Int, to bytes: inout [UInt8]) {
      func append(_ value: Int64) { Varint.append(signed: value, to: &bytes) }
      func append(count: Int) { Varint.append(UInt64(count), to: &bytes) }
      let isForever = spell.coverEnd == PersonMoney.never
      append(
        count: (spell.isPurchase ? 1 : 0) | (spell.isOff ? 2 : 0) | (isForever ? 4 : 0) | Int(spell.reason.rawValue)
          << 3)
      append(count: spell.ordinal)
      append(spell.start &- last)
      if !isForever {
        append(spell.coverEnd &- spell.start)
        append(spell.graceEnd &- spell.coverEnd)
      }
      append(Int64(credit.cellKey))
      append(Int64(credit.client))
      append(Int64(credit.properties))
      append(count: payments)
      last = spell.start
    }

    mutating func append(_ payment: Payment, _ refunds: ArraySlice<Refund>, to bytes: inout [UInt8]) {
      func append(_ value: Int64) { Varint.append(signed: value, to: &bytes) }
      func append(count: Int) { Varint.append(UInt64(count), to: &bytes) }
      let own = PaymentTerms(
        plan: payment.plan, price: payment.price, currency: payment.currency, terms: payment.terms)
      let isRepeated = terms == own
      terms = own
      let isForever = payment.coverEnd == PersonMoney.never
      let isCut = payment.paidUntil != payment.coverEnd
      append(
        count: (isRepeated ? 1 : 0) | (isForever ? 2 : 0) | (payment.refundedAt == nil ? 0 : 4) | (isCut ? 8 : 0)
          | refunds.count << 4)
      append(payment.ts &- last)
      if !isRepeated {
        append(count: Int(payment.plan.rawValue))
        append(payment.price)
        append(Int64(payment.currency))
        append(Int64(payment.terms))
      }
      if !isForever { append(payment.coverEnd &- payment.ts) }
      // For a lifetime plan that was cut short, the difference overflows here and wraps back when it is read.
      if isCut { append(payment.paidUntil &- payment.coverEnd) }
      if let refundedAt = payment.refundedAt { append(refundedAt &- payment.ts) }
      for refund in refunds {
        append(refund.ts &- payment.ts)
        append(refund.amount)
        append(Int64(refund.currency))
      }
      last = payment.ts
    }

    /// Appends the spells, payments and refunds of folded facts, each spell with one credit.
    mutating func append(
      _ facts: borrowing PersonFacts, app: NameID, _ cellKeys: CellKeyNumbers, to bytes: inout [UInt8]
    ) {
      let refunds = facts.refunds.map { Refund(ts: $0.ts, amount: $0.amount, currency: $0.currency) }
      var (nextSpell, nextRefund) = (0, 0)
      for (number, fact) in facts.payments.enumerated() {
        if nextSpell < facts.spells.count, fact.spell == facts.before.spells + nextSpell {
          let spell = facts.spells[nextSpell]
          let cellKey = CellKey(app: app, context: facts.contexts[spell.contexts.lowerBound], spell.dimensions)
          append(
            Spell(spell, credits: 0..<1), UnitKey(cellKeys.number(of: cellKey), spell.dimensions),
            payments: spell.paymentCount, to: &bytes)
          nextSpell += 1
        }
        let firstRefund = nextRefund
        while nextRefund < facts.refunds.count,
          facts.refunds[nextRefund].payment == facts.before.payments + number
        {
          nextRefund += 1
        }
        append(Payment(fact), refunds[firstRefund..<nextRefund], to: &bytes)
      }
    }
  }

  /// Replaces everything but the entry by what ``encode(to:)`` has written.
  ///
  /// - Throws: Where the bytes are others: each number is checked before anything is made of it.
  mutating func decode(_ bytes: UnsafeRawBufferPointer) throws {
    removeAll()
    var offset = 0
    var isSound = true
    func count() -> Int { Int(truncatingIfNeeded: Varint.next(bytes, &offset)) }
    /// Of things that take a byte each, at least.
    func length() throws -> Int {
      let length = count()
      guard length >= 0, length <= bytes.count - offset else { throw PaymentHistory.malformed }
      return length
    }
    func number() -> Int64 { Varint.nextSigned(bytes, &offset) }
    func instant(_ instant: Int64) -> Int64 {
      isSound = isSound && StoredRange.instants.contains(instant)
      return instant
    }
    func end(_ end: Int64) -> Int64 {
      isSound = isSound && (end == Self.never || StoredRange.ends.contains(end))
      return end
    }
    func id() -> Int32 { Int32(truncatingIfNeeded: number()) }
    var last = Int64(0)
    var terms = PaymentTerms()
    for place in 0..<(try length()) {
      let flags = count()
      let ordinal = count()
      let start = instant(last &+ number())
      let isForever = flags & 4 != 0
      let coverEnd = isForever ? Self.never : end(start &+ number())
      let graceEnd = isForever ? Self.never : end(coverEnd &+ number())
      credits.append(UnitKey(cellKey: id(), client: id(), properties: id()))
      let first = payments.count
      last = start
      for _ in 0..<(try length()) {
        let flags = count()
        let ts = instant(last &+ number())
        if flags & 1 == 0 {
          let plan = Plan(rawValue: UInt8(truncatingIfNeeded: count()))
          terms = PaymentTerms(plan: plan ?? .lifetime, price: number(), currency: id(), terms: id())
          isSound = isSound && plan != nil && StoredRange.prices.contains(terms.price)
        }
        let coverEnd = flags & 2 != 0 ? Self.never : end(ts &+ number())
        let paidUntil = flags & 8 != 0 ? end(coverEnd &+ number()) : coverEnd
        let refundedAt = flags & 4 != 0 ? instant(ts &+ number()) : nil
        let firstRefund = refunds.count
        guard flags >= 0, flags >> 4 <= bytes.count - offset else { throw PaymentHistory.malformed }
        for _ in 0..<flags >> 4 {
          let refund = Refund(ts: instant(ts &+ number()), amount: number(), currency: id())
          isSound = isSound && StoredRange.prices.contains(refund.amount)
          refunds.append(refund)
        }
        payments.append(
          Payment(
            spell: place, ts: ts, plan: terms.plan, price: terms.price, currency: terms.currency, terms: terms.terms,
            coverEnd: coverEnd, paidUntil: paidUntil, refundedAt: refundedAt,
            refunds: firstRefund..<refunds.count))
        last = ts
      }
      spells.append(
        Spell(
          ordinal: ordinal, start: start, coverEnd: coverEnd, graceEnd: graceEnd, isPurchase: flags & 1 != 0,
          isOff: flags & 2 != 0, reason: ChurnReason(rawValue: UInt8(truncatingIfNeeded: flags >> 3)) ?? .unstated,
          credits: place..<place + 1, payments: first..<payments.count))
      guard first < payments.count, payments[first].ts == start, ordinal > 0 else { throw PaymentHistory.malformed }
    }
    guard isSound, offset == bytes.count else { throw PaymentHistory.malformed }
  }

  /// The fields in which payments tend to agree with the previous payment.
  private struct PaymentTerms: Equatable {
    var plan = Plan.lifetime
    var price: Int64 = 0
    var currency: NameID = 0
    var terms: Int32 = -1
  }
}
