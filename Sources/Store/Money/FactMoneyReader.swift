internal import EventModel
internal import GRDB
internal import Lifecycle

/// Reads from the fact tables what ``PaymentHistory`` should contain, to compare the two.
struct FactMoneyReader {
  private enum Cursor: Int, CaseIterable {
    case spell, payment, refund

    var select: String {
      switch self {
      case .spell:
        "SELECT person, origin, client, properties, ordinal, start, cover_end, grace_end, is_purchase, is_off >> 3 & 1, "
          + "reason FROM main.spell_row WHERE credit = 0 ORDER BY person, number"
      case .payment:
        "SELECT person, spell, ts, plan, price, currency, terms, cover_end, paid_until, refunded_at "
          + "FROM main.payment_row ORDER BY person, number"
      case .refund:
        "SELECT person, payment, ts, amount, currency FROM main.refund_row ORDER BY person, number"
      }
    }
  }

  /// Calls `body` with each person that has a spell.
  static func forEachPerson(_ db: Database, _ body: (PersonMoney) throws -> Void) throws {
    let cursors = try Cursor.allCases.map { try SQLiteStatement(db, $0.select) }
    var persons = try cursors.map { try $0.step() ? $0.int32(0) : Int32.max }
    var money = PersonMoney()
    while let person = persons.min(), person != .max {
      money.removeAll()
      money.person = person
      for index in cursors.indices {
        while persons[index] == person {
          append(cursors[index], Cursor.allCases[index], to: &money)
          persons[index] = try cursors[index].step() ? cursors[index].int32(0) : Int32.max
        }
      }
      try body(money)
    }
  }

  private static func append(_ row: SQLiteStatement, _ kind: Cursor, to money: inout PersonMoney) {
    switch kind {
    case .spell:
      let place = money.credits.count
      money.credits.append(UnitKey(cellKey: row.int32(1), client: row.int32(2), properties: row.int32(3)))
      money.spells.append(
        PersonMoney.Spell(
          ordinal: Int(row.int64(4)), start: row.int64(5), coverEnd: row.int64(6), graceEnd: row.int64(7),
          isPurchase: row.int64(8) != 0, isOff: row.int64(9) != 0,
          reason: ChurnReason(rawValue: UInt8(truncatingIfNeeded: row.int64(10))) ?? .unstated,
          credits: place..<place + 1, payments: 0..<0))
    // In a damaged store, a row may belong to no spell.
    case .payment where money.spells.indices.contains(Int(row.int64(1))):
      money.append(
        payment: PersonMoney.Payment(
          spell: Int(row.int64(1)), ts: row.int64(2),
          plan: Plan(rawValue: UInt8(truncatingIfNeeded: row.int64(3))) ?? .lifetime, price: row.int64(4),
          currency: row.int32(5), terms: row.int32(6), coverEnd: row.int64(7), paidUntil: row.int64(8),
          refundedAt: row.optionalInt64(9), refunds: 0..<0))
    case .refund where money.payments.indices.contains(Int(row.int64(1))):
      money.append(
        PersonMoney.Refund(ts: row.int64(2), amount: row.int64(3), currency: row.int32(4)), of: Int(row.int64(1)))
    case .payment, .refund: break
    }
  }
}

extension PaymentHistory {
  /// Returns the number of persons for whom blocks and facts differ.
  static func differences(_ db: Database) throws -> Int {
    var stored: [Int32: [UInt8]] = [:]
    let row = try SQLiteStatement(db, "SELECT id, persons FROM main.money_block")
    while try row.step() {
      var walk = Walk(row: row.int64(0), row.bytes(1))
      while let bytes = try walk.next() { stored[walk.person] = Array(bytes) }
    }
    var differences = 0
    try FactMoneyReader.forEachPerson(db) { money in
      var bytes: [UInt8] = []
      money.encode(to: &bytes)
      if stored.removeValue(forKey: money.person) != bytes { differences += 1 }
    }
    return differences + stored.count
  }
}
