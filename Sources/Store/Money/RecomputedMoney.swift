internal import EventModel

/// The money of recomputed persons, encoded, so that several readers share one fold.
final class RecomputedMoney {
  /// The segments that the money refers to; those that no stored fact has are added.
  let segments: SegmentNumbers
  private var bytes: [UInt8] = []

  /// Persons whose money refers to segments of its own, and their sights.
  private struct Portion: Sendable {
    let segments: SegmentNumbers
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
    addingSights addSights: @escaping FactSource.SightAdding = { _, _, _, _ in },
    sights: ([VariantSight]) -> Void = { _ in }
  ) throws {
    let segments = try SegmentNumbers(source.db, schema: "main")
    self.segments = segments
    var (bytes, own): ([UInt8], [UInt8]) = ([], [])
    let (known, first) = (segments.segments.count, SegmentNumbers(copying: segments))
    try source.recompute.forEachPortion(
      plan, source.dictionaries(), from: { Portion(segments: SegmentNumbers(copying: first)) },
      adding: { portion, person, app, facts in
        var money = PersonMoney()
        money.set(person, facts, app: app, portion.segments)
        portion.persons.append(money)
        addSights(&portion.sights, person, app, facts)
      }
    ) { portion in
      sights(portion.sights)
      let number = segments.adopt(portion.segments, after: known)
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
