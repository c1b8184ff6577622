import Basics
import Testing

@testable import Store

@Suite struct KeyBlockTests {
  private static func keys(_ count: Int, users: Int32, _ random: inout SplitMix64) -> [HashKey] {
    (0..<count).map { _ in
      HashKey(hash: .random(in: 0...(.max), using: &random), user: .random(in: 1...users, using: &random))
    }.sorted { $0.hash < $1.hash }
  }

  @Test(arguments: [1, 2, 3, 500, 2048])
  func whatIsWrittenIsReadAgain(count: Int) {
    var random = SplitMix64(seed: UInt64(count))
    for users in [1, 200, Int32.max] {
      var keys = Self.keys(count, users: users, &random)
      // Two hashes are equal, and one is far from the others.
      if count > 2 { keys[1] = HashKey(hash: keys[0].hash, user: users) }
      keys[count - 1].hash = .max
      var read: [HashKey] = []
      let bytes = keys.withUnsafeBufferPointer(KeyBlock.encode)
      let isRead = bytes.withUnsafeBytes { KeyBlock.decode($0, count: count, into: &read) }
      #expect(isRead)
      #expect(read.map(\.user) == keys.map(\.user))
      #expect(read.map { KeyBlock.prefix($0.hash) } == keys.map { KeyBlock.prefix($0.hash) })
    }
  }

  /// 40 bits of 5.6 million random hashes need log2(2^40 ÷ 5.6e6) + 1.44 = 19.0 bits each, and Rice's code a few
  /// percent more. With 20 bits for one of a million users, that is 5 bytes.
  @Test func keysOfALargeStoreTakeFiveBytes() {
    var random = SplitMix64(seed: 7)
    let spacing = UInt64.max / 5_600_000
    let keys = (0..<UInt64(2048)).map { place in
      HashKey(
        hash: place * spacing + .random(in: 0..<spacing, using: &random),
        user: .random(in: 1...1_000_000, using: &random))
    }
    #expect(keys.withUnsafeBufferPointer(KeyBlock.encode).count < 2048 * 51 / 10)
  }

  @Test func aBlockCutShortIsRefused() {
    var random = SplitMix64(seed: 9)
    let keys = Self.keys(1000, users: 1000, &random)
    let bytes = Array(keys.withUnsafeBufferPointer(KeyBlock.encode).dropLast(40))
    var read: [HashKey] = []
    #expect(!bytes.withUnsafeBytes { KeyBlock.decode($0, count: 1000, into: &read) })
  }
}
