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

  /// The least and the greatest user; `nil` if there are none.
  var bounds: ClosedRange<Int32>? {
    guard let first = words.firstIndex(where: { $0 != 0 }), let last = words.lastIndex(where: { $0 != 0 }) else {
      return nil
    }
    let least = first << 6 + words[first].trailingZeroBitCount
    return Int32(least)...Int32(last << 6 + 63 - words[last].leadingZeroBitCount)
  }

  /// The users in ascending order.
  var users: [Int32] { Array(self) }
}

extension UserSet: Sequence {
  /// Goes through the users in ascending order.
  public struct Iterator: IteratorProtocol {
    private let words: [UInt64]
    private var index = -1
    private var rest: UInt64 = 0

    fileprivate init(_ words: [UInt64]) { self.words = words }

    public mutating func next() -> Int32? {
      while rest == 0 {
        index += 1
        if index >= words.count { return nil }
        rest = words[index]
      }
      defer { rest &= rest - 1 }
      return Int32(index << 6 + rest.trailingZeroBitCount)
    }
  }

  public var underestimatedCount: Int { count }

  public func makeIterator() -> Iterator { Iterator(words) }
}
