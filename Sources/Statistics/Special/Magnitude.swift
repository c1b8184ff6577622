/// A natural number of any size, with just the operations for comparing two products exactly.
struct Magnitude {
  /// Least significant word first; the last is not 0.
  private var words: [UInt]

  init(_ value: UInt) { words = value == 0 ? [] : [value] }

  mutating func multiply(by factor: UInt) {
    guard factor > 0 else {
      words = []
      return
    }
    var carry: UInt = 0
    for index in words.indices {
      let (high, low) = words[index].multipliedFullWidth(by: factor)
      let (sum, overflow) = low.addingReportingOverflow(carry)
      words[index] = sum
      carry = high + (overflow ? 1 : 0)
    }
    if carry > 0 { words.append(carry) }
  }

  /// Returns the sign of `self − other`.
  func compare(to other: Magnitude) -> Int {
    if words.count != other.words.count { return words.count < other.words.count ? -1 : 1 }
    for index in words.indices.reversed() where words[index] != other.words[index] {
      return words[index] < other.words[index] ? -1 : 1
    }
    return 0
  }
}
