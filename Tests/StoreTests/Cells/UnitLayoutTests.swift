import Basics
import Testing

@testable import Store

/// The oracle is the list of units itself, sorted by Swift.
@Suite struct UnitLayoutTests {
  private static let layout = UnitLayout(storesDistance: [true, true, false])

  private func units(_ list: [[Int64]]) -> [Int64] { list.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 } }

  @Test(arguments: 1...40)
  func whatIsEncodedIsDecoded(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    let widths: [Int64] = [1, 100, 86_400_000, 1 << 40, .max]
    let list = (0..<Int.random(in: 0...60, using: &random)).map { _ -> [Int64] in
      let width = widths[Int.random(in: 0..<4, using: &random)]
      return [
        Int64.random(in: 0...86_399_999, using: &random) / width, Int64.random(in: -width...width, using: &random),
        Int64.random(in: -5...widths[4], using: &random) / width,
      ]
    }
    let sorted = Self.layout.sorted(list.flatMap { $0 })
    #expect(sorted == units(list))
    let bytes = Self.layout.encode(sorted)
    #expect(bytes.withUnsafeBytes { Self.layout.decode($0) } == sorted)
    // Removes any part of the units and adds it back, with one unit twice, in any order.
    let parts = list.shuffled(using: &random)
    let cut = parts.count / 2
    let (first, second) = (units(Array(parts.prefix(cut))), units(Array(parts.dropFirst(cut))))
    #expect(Self.layout.merge(first, second) == sorted)
    #expect(Self.layout.subtract(second, from: sorted) == first)
    if let unit = list.first {
      let twice = units(list + [unit])
      #expect(Self.layout.subtract(unit, from: twice) == sorted)
      if list.count(where: { $0 == unit }) == 1 {
        #expect(Self.layout.subtract(units([unit, unit]), from: sorted) == nil)
      }
      var (left, right) = (twice, sorted)
      Self.layout.cancel(&left, &right)
      #expect(left == unit && right.isEmpty)
    }
  }

  /// Derived by hand: 300 is 0xAC 0x02; −1 and 2 are 1 and 4 in zigzag; the distance from 300 to 301 is 1, and that
  /// from −1 to 2 is 3, which is 6 in zigzag.
  @Test func theBytesAreThoseOfTheDescription() {
    #expect(Self.layout.encode([300, -1, 2, 301, 2, 2]) == [0xAC, 0x02, 1, 4, 1, 6, 4])
  }

  @Test func theSmallestAndGreatestNumbersAreKept() {
    let extremes: [Int64] = [0, .min, .max, 1, .max, .min]
    #expect(Self.layout.encode(extremes).withUnsafeBytes { Self.layout.decode($0) } == extremes)
  }
}
