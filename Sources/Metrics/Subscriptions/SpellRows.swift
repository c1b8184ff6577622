internal import Lifecycle
internal import Store

/// The spells of a state query, with their payments.
final class SpellRows {
  /// A spell in a row that it is credited to.
  struct Row {
    /// An index into ``SpellRows/keys``.
    var place: Int
    var app: NameID
    var spell: PersonMoney.Spell
    /// In order of time; at least one.
    var payments: ArraySlice<PersonMoney.Payment>
    /// Whether no later spell of its subscription is known.
    var isLast: Bool
  }

  private let scan: PaymentHistoryReader
  @exclusivity(unchecked) private var units: UnitRows

  /// - Parameter withUnits: See ``PaymentHistoryReader``.
  init(_ state: StateQuery, withUnits: Bool = false) throws {
    scan = try PaymentHistoryReader(state.query.facts, withUnits: withUnits)
    units = try UnitRows(state.unitQuery)
  }

  /// The keys of the rows, without a period.
  var keys: [RowKey] { units.keys }

  func forEach(_ body: (Row) throws -> Void) throws {
    var places: [Int] = []
    try scan.forEachPerson { money in
      units.person = money.person
      for (number, spell) in money.spells.enumerated() {
        let credits = money.credits[spell.credits]
        guard let app = credits.first.map({ scan.cellKey($0.cellKey).app }) else { continue }
        let isLast = number + 1 == money.spells.count || money.spells[number + 1].ordinal != spell.ordinal + 1
        places.removeAll(keepingCapacity: true)
        units.isRenewing = !spell.isOff
        units.forEachRow(credits, at: spell.start, scan.cellKey) { places.append($0) }
        for place in places {
          try body(
            Row(place: place, app: app, spell: spell, payments: money.payments[spell.payments], isLast: isLast))
        }
      }
    }
  }
}
