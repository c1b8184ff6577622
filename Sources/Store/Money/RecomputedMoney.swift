internal import EventModel

/// The money of recomputed persons, encoded, so that several readers share one fold.
final class RecomputedMoney {
  /// The cell keys that the money refers to; those that no stored fact has are added.
  let cellKeys: CellKeyNumbers
  /// Their units, if the same fold keeps them.
  private(set) var units: RecomputedUnits?
  private var bytes: [UInt8] = []

  /// Persons whose money and units refer to cell keys of its own, and their sights.
  private struct Portion: Sendable {
    var units: RecomputedUnits
    var persons: [PersonMoney] = []
    var sights: [VariantSight] = []
  }

  /// Folds the persons of a plan.
  ///
  /// - Parameters:
  ///   - source: Its attribution must credit one context to each spell.
  ///   - units: Keeps the persons' units, and has the cell keys; `nil` if they are not wanted.
  ///   - addSights: Adds the sights of a person, which the same fold gives.
  ///   - sights: Called with them, in the order of the persons.
  init(
    _ source: FactSource, _ plan: RecomputePlan, units: RecomputedUnits? = nil,
    addingSights addSights: FactSource.SightAdding? = nil, sights: ([VariantSight]) -> Void = { _ in }
  ) throws {
    let cellKeys = try units?.cellKeys ?? CellKeyNumbers(source.db, schema: "main")
    (self.cellKeys, self.units) = (cellKeys, units)
    let takesUnits = units != nil
    var (bytes, own): ([UInt8], [UInt8]) = ([], [])
    let (known, first) = (cellKeys.cellKeys.count, CellKeyNumbers(copying: cellKeys))
    try source.recompute.forEachPortion(
      plan, source.dictionaries(), taking: { $0.takesExposures = addSights != nil },
      from: { Portion(units: RecomputedUnits(cellKeys: CellKeyNumbers(copying: first))) },
      adding: { portion, person, app, facts in
        var money = PersonMoney()
        money.set(person, facts, app: app, portion.units.cellKeys)
        portion.persons.append(money)
        if takesUnits { portion.units.add(person, facts, app: app) }
        addSights?(&portion.sights, person, app, facts)
      }
    ) { portion in
      sights(portion.sights)
      let number = cellKeys.adopt(portion.units.cellKeys, after: known)
      for (person, var own) in portion.units.persons {
        if let number { own.renumber(number) }
        self.units?.add(person, own)
      }
      for var money in portion.persons {
        if let number { money.renumber(number) }
        own.removeAll(keepingCapacity: true)
        money.encode(to: &own)
        Varint.append(UInt64(money.person), to: &bytes)
        Varint.append(UInt64(money.entry ?? 0), to: &bytes)
        Varint.append(UInt64(own.count), to: &bytes)
        bytes += own
      }
    }
    self.bytes = bytes
  }

  /// Calls `body` with each person, in order.
  ///
  /// - Parameter isRead: Returns whether a person is wanted.
  func forEach(where isRead: (Int32) -> Bool, _ body: (borrowing PersonMoney) throws -> Void) throws {
    var money = PersonMoney()
    try bytes.withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        let person = Int32(truncatingIfNeeded: Varint.next(bytes, &offset))
        let entry = Int32(truncatingIfNeeded: Varint.next(bytes, &offset))
        let end = Int(truncatingIfNeeded: Varint.next(bytes, &offset)) + offset
        defer { offset = end }
        guard isRead(person) else { continue }
        try money.decode(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
        money.person = person
        money.entry = entry == 0 ? nil : entry
        try body(money)
      }
    }
  }
}
