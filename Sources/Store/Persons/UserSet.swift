/// A set of users, stored as one bit per number.
public struct UserSet: Sendable, Equatable {
  private var words: [UInt64] = []
  public private(set) var count = 0

  public init() {}

  public mutating func insert(_ user: Int32) {
    let word = Int(user) >> 6
    if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 + word / 2 - words.count)) }
    let bit: UInt64 = 1 << (UInt64(user) & 63)
    if words[word] & bit == 0 {
      words[word] |= bit
      count += 1
    }
  }

  public func contains(_ user: Int32) -> Bool {
    let word = Int(user) >> 6
    return word >= 0 && word < words.count && words[word] & (1 << (UInt64(user) & 63)) != 0
  }

  mutating func removeAll() {
    for index in words.indices { words[index] = 0 }
    count = 0
  }

  /// The users in ascending order.
  var users: [Int32] {
    var users: [Int32] = []
    users.reserveCapacity(count)
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        users.append(Int32(index << 6 + rest.trailingZeroBitCount))
        rest &= rest - 1
      }
    }
    return users
  }
}
