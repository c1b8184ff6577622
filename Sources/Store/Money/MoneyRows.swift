internal import EventModel
internal import Lifecycle

/// The payments of persons, encoded by ``PersonMoney``.
struct MoneyRows: Sendable {
  private(set) var persons: [Int32] = []
  /// The end of each person's bytes.
  private var ends: [Int] = []
  private var bytes: [UInt8] = []
  /// The money of a person whose facts come in parts: its encoding, the offset of its bytes and the number of spells.
  private var open: (encoding: PersonMoney.Encoding, start: Int, spells: Int)?

  /// Of a person whose facts come in parts: over a million payments.
  private static let roomOfParts = 64 << 20

  /// Whether the last person's facts are still coming.
  var isOpen: Bool { open != nil }

  var byteCount: Int { bytes.count }

  mutating func removeAll() {
    persons.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Adds facts of a person, if the person has a spell.
  ///
  /// - Parameter isLast: Whether these are all of the person's facts, or the last part of them.
  mutating func append(
    _ person: Int32, _ facts: borrowing PersonFacts, app: NameID, _ cellKeys: CellKeyNumbers, isLast: Bool
  ) {
    if open == nil && isLast {
      if facts.spells.isEmpty { return }
      Varint.append(UInt64(facts.spells.count), to: &bytes)
      var encoding = PersonMoney.Encoding()
      encoding.append(facts, app: app, cellKeys, to: &bytes)
      end(person)
      return
    }
    // Untouched room takes no memory; growing step by step takes up to three times that of the bytes.
    if open == nil { bytes.reserveCapacity(bytes.count + Self.roomOfParts) }
    var (encoding, start, spells) = open ?? (PersonMoney.Encoding(), bytes.count, 0)
    encoding.append(facts, app: app, cellKeys, to: &bytes)
    spells += facts.spells.count
    open = isLast ? nil : (encoding, start, spells)
    guard isLast, spells > 0 else { return }
    var count: [UInt8] = []
    Varint.append(UInt64(spells), to: &count)
    bytes.insert(contentsOf: count, at: start)
    end(person)
  }

  private mutating func end(_ person: Int32) {
    persons.append(person)
    ends.append(bytes.count)
  }

  mutating func append(contentsOf other: borrowing MoneyRows) {
    let first = bytes.count
    persons.append(contentsOf: other.persons)
    for end in other.ends { ends.append(first + end) }
    bytes.append(contentsOf: other.bytes)
  }

  func withBytes<Result>(at place: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBytes { bytes in
      try body(UnsafeRawBufferPointer(rebasing: bytes[(place == 0 ? 0 : ends[place - 1])..<ends[place]]))
    }
  }
}
