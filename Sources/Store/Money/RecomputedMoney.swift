internal import EventModel

/// The money of recomputed persons, encoded, so that several readers share one fold.
final class RecomputedMoney {
  /// The cell keys that the money refers to; those that no stored fact has are added.
  let cellKeys: CellKeyNumbers
  private var bytes: [UInt8] = []

  /// Persons whose money refers to cell keys of its own, and their sights.
  private struct Portion: Sendable {
    let cellKeys: CellKeyNumbers
    var persons: [PersonMoney] = []
    var sights: [VariantSight] = []
  }

  /// Folds the persons of a plan.
  ///
  /// - Parameters:
  ///   - source: Its attribution must credit one context to each spell.
  ///   - addSights: Adds the sights of a person, which the same fold gives.
  ///   - sights: Called with them, in the order of the persons.
  init(
    _ source: FactSource, _ plan: RecomputePlan,
    addingSights addSights: FactSource.SightAdding? = nil, sights: ([VariantSight]) -> Void = { _ in }
  ) throws {
    let cellKeys = try CellKeyNumbers(source.db, schema: "main")
    self.cellKeys = cellKeys
    var (bytes, own): ([UInt8], [UInt8]) = ([], [])
    let (known, first) = (cellKeys.cellKeys.count, CellKeyNumbers(copying: cellKeys))
    try source.recompute.forEachPortion(
      plan, source.dictionaries(), taking: { $0.takesExposures = addSights != nil },
      from: { Portion(cellKeys: CellKeyNumbers(copying: first)) },
      adding: { portion, person, app, facts in
        var money = PersonMoney()
        money.set(person, facts, app: app, portion.cellKeys)
        portion.persons.append(money)
        addSights?(&portion.sights, person, app, facts)
      }
    ) { portion in
      sights(portion.sights)
      let number = cellKeys.adopt(portion.cellKeys, after: known)
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
