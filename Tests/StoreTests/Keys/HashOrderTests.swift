import Basics
import Testing

@testable import Store

/// Compares the sort by hash with the standard library's.
@Suite struct HashOrderTests {
  private func expectSorted(_ hashes: [UInt64]) {
    let expected = hashes.indices.sorted { (hashes[$0], $0) < (hashes[$1], $1) }.map { UInt32($0) }
    #expect(HashOrder.places(count: hashes.count) { hashes[$0] } == expected)
  }

  @Test(arguments: [0, 1, 2, 3, 100, 4_096, 50_000])
  func spreadHashesAreSorted(count: Int) {
    var random = SplitMix64(seed: UInt64(count))
    expectSorted((0..<count).map { _ in .random(in: 0...(.max), using: &random) })
  }

  /// Each hash occurs many times; equal ones keep the order of their places.
  @Test func equalHashesKeepTheirOrder() {
    var random = SplitMix64(seed: 5)
    let few = (0..<300).map { _ in UInt64.random(in: 0...(.max), using: &random) }
    expectSorted((0..<9_000).map { _ in few.randomElement(using: &random)! })
    expectSorted([UInt64](repeating: 7, count: 1_000))
  }

  /// The hashes differ only in their lowest bits, which the passes do not look at.
  @Test func hashesThatAreNotSpreadAreSortedToo() {
    var random = SplitMix64(seed: 6)
    expectSorted((0..<3_000).reversed().map { UInt64($0) })
    expectSorted((0..<20_000).map { _ in .random(in: 0...99_999, using: &random) })
    expectSorted((0..<20_000).map { _ in 0xFFFF_FFFF_FFFF_0000 | .random(in: 0...0xFFFF, using: &random) })
  }

  @Test(arguments: [1, 200, 70_000, Int32.max])
  func numbersAreSorted(limit: Int32) {
    var random = SplitMix64(seed: UInt64(limit))
    for count in [0, 1, 2, 5_000] {
      let numbers = (0..<count).map { _ in Int32.random(in: 0..<limit, using: &random) }
      let expected = numbers.indices.sorted { (numbers[$0], $0) < (numbers[$1], $1) }.map { UInt32($0) }
      #expect(HashOrder.places(of: numbers) == expected)
    }
  }
}
