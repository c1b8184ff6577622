internal import EventModel
internal import Lifecycle

/// The money of recomputed persons, encoded, so that several readers share one fold.
final class RecomputedMoney {
  /// The segments that the money refers to; those that no stored fact has are added.
  let segments: SegmentNumbers
  private var bytes: [UInt8] = []

  /// Folds the persons of a plan.
  ///
  /// - Parameter source: Its attribution must credit one context to each spell.
  init(_ source: FactSource, _ plan: RecomputePlan) throws {
    let segments = try SegmentNumbers(source.db, schema: "main")
    self.segments = segments
    var (bytes, own): ([UInt8], [UInt8]) = ([], [])
    var money = PersonMoney()
    try source.recompute.forEachPerson(plan, source.dictionaries(), readsAside: true) { person, app, facts, _ in
      money.set(person, facts, app: app, segments)
      own.removeAll(keepingCapacity: true)
      money.encode(to: &own)
      Varint.append(UInt64(person), to: &bytes)
      Varint.append(UInt64(money.entry ?? 0), to: &bytes)
      Varint.append(UInt64(own.count), to: &bytes)
      bytes += own
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
