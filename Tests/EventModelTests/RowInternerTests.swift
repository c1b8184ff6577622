import Basics
import EventModel
import Testing

/// The oracle is a dictionary.
@Suite struct RowInternerTests {
  /// With few hashes, many rows share a place in the table.
  @Test(arguments: [UInt64.max, 0, 1])
  func rowsAreNumberedInOrderOfFirstSight(mask: UInt64) {
    var random = SplitMix64(seed: mask)
    var rows = RowInterner<Int32>()
    var numbers: [Int32: UInt32] = [:]
    for _ in 0..<20_000 {
      let row = Int32.random(in: 0..<500, using: &random)
      let expected = numbers[row] ?? UInt32(numbers.count)
      numbers[row] = expected
      #expect(rows.intern(row, hash: UInt64(row) & mask) == expected)
    }
    #expect(rows.rows.count == numbers.count)
  }

  @Test func nothingIsKnownOfWhatIsRemoved() {
    var rows = RowInterner<String>()
    #expect(rows.intern("a", hash: 7) == 0)
    #expect(rows.intern("b", hash: 7) == 1)
    rows.shrink(to: 1)
    #expect(rows.rows == ["a"])
    #expect(rows.intern("c", hash: 7) == 1)
    rows.removeAll()
    #expect(rows.intern("b", hash: 7) == 0)
  }
}
