/// What persons have paid, as bytes: see ``PersonMoney``.
struct MoneyRows: Sendable {
  private(set) var persons: [Int32] = []
  /// Where the bytes of each person end.
  private var ends: [Int] = []
  private var bytes: [UInt8] = []

  /// How many bytes there are.
  var byteCount: Int { bytes.count }

  mutating func removeAll() {
    persons.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Adds a person that has a spell; of others nothing is kept.
  mutating func append(_ money: borrowing PersonMoney) {
    if money.spells.isEmpty { return }
    money.encode(to: &bytes)
    persons.append(money.person)
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
