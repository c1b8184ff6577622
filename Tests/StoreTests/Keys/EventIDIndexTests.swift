import Basics
import GRDB
import Testing

@testable import Store

@Suite struct EventIDIndexTests {
  private static func hashes(_ count: Int, _ random: inout SplitMix64) -> [UInt64] {
    (0..<count).map { _ in .random(in: 0...(.max), using: &random) }
  }

  /// A filter may pass keys that are not stored, but never blocks one that is. It passes (1 − e^(−4 ÷ bits per key))⁴
  /// of the others (Bloom 1970), and up to half as much again because a key's bits are in one line (Putze, Sanders and
  /// Singler 2007).
  @Test(arguments: [(9.0, 0.025), (20, 0.0018), (80, 0.00006)])
  func theFilterLetsEveryStoredKeyThroughAndFewOthers(bitsPerKey: Double, share: Double) {
    var random = SplitMix64(seed: 13)
    let stored = Self.hashes(Int(Double(1 << 21) / bitsPerKey), &random)
    var filter = BloomFilter(roomyBytes: 1 << 16, keyCount: stored.count)
    #expect(!filter.isFull(with: stored.count))
    for hash in stored { filter.insert(hash) }
    #expect(stored.allSatisfy { filter.mayContain($0) })
    // The table drops the low bits, so they are zeros there.
    #expect(stored.allSatisfy { filter.mayContain(($0 >> 24) << 24) })
    let others = 400_000
    let letThrough = Self.hashes(others, &random).count { filter.mayContain($0) }
    #expect(Double(letThrough) < share * Double(others))
    #expect(filter.isFull(with: Int(Double(1 << 21) / 8.9) - stored.count))
  }

  /// The filter is in use from the fourth batch on, and is enlarged several times.
  @Test func everyKeyIsFoundAsTheFilterGrows() throws {
    try DatabaseQueue().write { db in
      try db.execute(
        sql: "CREATE TABLE event_key (run INTEGER, block INTEGER, first INTEGER, count INTEGER, keys BLOB)")
      let runs = try EventIDIndex(db, table: "event_key", roomyFilterBytes: 1 << 13)
      var random = SplitMix64(seed: 17)
      var stored: [HashKey] = []
      for batch in 0..<8 {
        let new = Self.hashes(60_000, &random).enumerated()
          .map { HashKey(hash: $1, user: Int32(batch * 60_000 + $0)) }.sorted { $0.hash < $1.hash }
        let looked = (stored + new).shuffled(using: &random).prefix(60_000).sorted { $0.hash < $1.hash }
        var found: [Int: Int32] = [:]
        try runs.forEachMatch(of: looked) { found[$0] = $1 }
        let known = Set(stored.map(\.user))
        #expect(looked.indices.allSatisfy { found[$0] == (known.contains(looked[$0].user) ? looked[$0].user : nil) })
        try runs.append(new)
        stored += new
      }
    }
  }
}
