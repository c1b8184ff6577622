/// The payments of persons, encoded by ``PersonMoney``.
struct MoneyRows: Sendable {
  private(set) var persons: [Int32] = []
  /// The end of each person's bytes.
  private var ends: [Int] = []
  private var bytes: [UInt8] = []

  /// The number of bytes.
  var byteCount: Int { bytes.count }

  mutating func removeAll() {
    persons.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Adds a person if the person has a spell.
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
