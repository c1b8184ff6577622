internal import EventModel
internal import Lifecycle
internal import Store

/// A spell with its payments, as states are counted from it.
struct SpellRow {
  /// One payment of it, in order of time.
  struct Payment {
    var ts: Int64
    var coverEnd: Int64
    var plan: Plan?
    var price: Int64
    var currency: NameID
  }

  var app: NameID
  var ordinal: Int
  var coverEnd: Int64
  var graceEnd: Int64
  var reason: ChurnReason
  /// Auto-renew is off at the as-of.
  var isOff: Bool
  /// No later spell of its subscription is known.
  var isLast: Bool
  var payments: [Payment]
}

extension StateQuery {
  /// Calls `body` with each spell of each row that it is credited to, under the row's key without a period.
  func forEachSpell(_ body: (CellKey, SpellRow) throws -> Void) throws {
    let payments = unitQuery.ofSpells(
      .payment,
      columns: [
        "s.number AS spell", "s.ordinal AS ordinal", "s.cover_end AS spell_end", "s.grace_end AS grace_end",
        "s.reason AS reason", "s.is_off_now AS is_off_now", "p.number AS payment", "p.ts AS ts",
        "p.cover_end AS cover_end", "p.plan AS paid_plan", "p.price AS price", "p.currency AS currency",
      ])
    let columns = [
      "person", "spell", "payment", "ordinal", "spell_end", "grace_end", "reason", "is_off_now", "ts", "cover_end",
      "paid_plan", "price", "currency",
    ]
    let units = unitQuery.units(
      from: payments, instant: "ts", columns: columns.map { "f.\($0) AS \($0)" }, by: unitBy, unitKey: [])
    let dimensions = unitBy.count
    // Payments are numbered in order of their spells.
    let order =
      unitQuery.options.attribution == .all
      ? "person, spell\((0..<dimensions).map { ", d\($0)" }.joined()), payment" : "person, payment"
    let first = 1 + dimensions
    var last: (key: CellKey, person: Int64, spell: Int64, row: SpellRow)?
    try query.facts.forEachRow(
      """
      SELECT app, \(query.dimensionColumns(dimensions))\(columns.joined(separator: ", ")),
        \(isLast) AS is_last
      FROM (\(units)) AS u
      ORDER BY \(order)
      """
    ) { row in
      let payment = SpellRow.Payment(
        ts: row[first + 8], coverEnd: row[first + 9], plan: Plan(rawValue: UInt8(row[first + 10])),
        price: row[first + 11], currency: NameID(row[first + 12]))
      let isSame =
        last.map { last in
          last.person == row[first] && last.spell == row[first + 1]
            && (0..<dimensions).allSatisfy { last.key.codes[$0] == row[$0 + 1] }
        } ?? false
      if isSame {
        last?.row.payments.append(payment)
        return
      }
      if let last { try body(last.key, last.row) }
      let key = CellKey(row, dimensions: dimensions)
      last = (
        key, row[first], row[first + 1],
        SpellRow(
          app: key.app, ordinal: row.int(first + 3), coverEnd: row[first + 4], graceEnd: row[first + 5],
          reason: ChurnReason(rawValue: UInt8(row[first + 6])) ?? .unstated, isOff: row[first + 7] != 0,
          isLast: row[first + 13] != 0, payments: [payment])
      )
    }
    if let last { try body(last.key, last.row) }
  }

  /// Whether the subscription has no later spell; asked for where the end was a failed charge, as nobody else asks.
  private var isLast: String {
    """
    CASE WHEN reason = \(ChurnReason.billing.rawValue) AND EXISTS (
      SELECT 1 FROM \(query.facts.table(.spell)) AS n
      WHERE n.person = u.person AND n.number = u.spell + 1 AND n.ordinal = u.ordinal + 1) THEN 0 ELSE 1 END
    """
  }
}
