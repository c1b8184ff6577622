internal import EventModel
internal import GRDB
internal import Lifecycle

/// Reads spells, payments and refunds of all persons in one pass, where joins in SQL would look each of them up.
public final class PersonMoneyScan {
  /// What is read beside spells.
  public struct Parts: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let payments = Parts(rawValue: 1)
    /// With payments.
    public static let refunds = Parts(rawValue: 2)
    public static let entries = Parts(rawValue: 4)
  }

  private let source: FactSource
  private let parts: Parts
  private let origins: OriginNumbers

  /// - Parameter source: The facts to read, those folded again included.
  public init(_ source: FactSource, _ parts: Parts) throws {
    self.source = source
    self.parts = parts
    origins = try OriginNumbers(source.db, schema: "main")
  }

  public func origin(_ number: Int32) -> Origin { origins.origin(number) }

  /// Calls `body` with each person that has a spell or, where they are read, an entry, of all apps that the facts are of.
  public func forEachPerson(_ body: (PersonMoney) throws -> Void) throws {
    let plan = source.isRefolded ? try source.refoldPlan() : nil
    if !source.changesAll { try forEachStored(except: plan, body) }
    guard let plan else { return }
    var money = PersonMoney()
    try source.refold.forEachPerson(plan, source.dictionaries()) { person, app, facts, _ in
      money.set(person, facts, app: app, origins)
      try body(money)
    }
  }

  private enum Cursor: Int, CaseIterable {
    case entry, spell, payment, refund

    var select: String {
      switch self {
      case .entry: "SELECT person, origin FROM main.entry_row ORDER BY person"
      case .spell:
        "SELECT person, origin, client, properties, ordinal, start, cover_end, grace_end, is_purchase "
          + "FROM main.spell_row WHERE credit = 0 ORDER BY person, number"
      case .payment:
        "SELECT person, spell, ts, plan, price, currency, terms, cover_end, refunded_at "
          + "FROM main.payment_row ORDER BY person, number"
      case .refund:
        "SELECT person, payment, ts, amount, currency FROM main.refund_row ORDER BY person, number"
      }
    }
  }

  private func forEachStored(except plan: RefoldPlan?, _ body: (PersonMoney) throws -> Void) throws {
    let kinds = Cursor.allCases.filter { cursor in
      switch cursor {
      case .entry: parts.contains(.entries)
      case .spell: true
      case .payment: parts.contains(.payments)
      case .refund: parts.contains(.refunds)
      }
    }
    let cursors = try kinds.map { try SQLiteStatement(source.db, $0.select) }
    var persons = try cursors.map { try $0.step() ? $0.int32(0) : Int32.max }
    // By origin: whether its app is asked for.
    let isAsked = [false] + origins.origins.map { source.asOf[$0.app] != nil }
    var money = PersonMoney()
    while let person = persons.min(), person != .max {
      money.removeAll()
      money.person = person
      for index in cursors.indices {
        while persons[index] == person {
          append(cursors[index], kinds[index], to: &money)
          persons[index] = try cursors[index].step() ? cursors[index].int32(0) : Int32.max
        }
      }
      if let plan, plan.stale.contains(person) { continue }
      guard let origin = money.entry ?? money.credits.first?.origin, isAsked[Int(origin)] else { continue }
      try body(money)
    }
  }

  @inline(__always)
  private func append(_ row: SQLiteStatement, _ kind: Cursor, to money: inout PersonMoney) {
    switch kind {
    case .entry: money.entry = row.int32(1)
    case .spell:
      let place = money.credits.count
      money.credits.append(UnitKey(origin: row.int32(1), client: row.int32(2), properties: row.int32(3)))
      money.spells.append(
        PersonMoney.Spell(
          ordinal: Int(row.int64(4)), start: row.int64(5), coverEnd: row.int64(6), graceEnd: row.int64(7),
          isPurchase: row.int64(8) != 0, credits: place..<place + 1, payments: 0..<0))
    case .payment:
      guard let plan = Plan(rawValue: UInt8(row.int64(3))) else { preconditionFailure("a payment has no plan") }
      money.append(
        payment: PersonMoney.Payment(
          spell: Int(row.int64(1)), ts: row.int64(2), plan: plan, price: row.int64(4), currency: row.int32(5),
          terms: row.int32(6), coverEnd: row.int64(7), refundedAt: row.optionalInt64(8), refunds: 0..<0))
    case .refund:
      money.append(
        PersonMoney.Refund(ts: row.int64(2), amount: row.int64(3), currency: row.int32(4)), of: Int(row.int64(1)))
    }
  }
}
