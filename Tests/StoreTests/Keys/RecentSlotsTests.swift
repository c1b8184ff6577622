import Basics
import Testing

@testable import Store

/// The oracle is a dictionary: the cache returns the dictionary's value for a key, or nothing.
@Suite struct RecentSlotsTests {
  @Test(arguments: [UInt64.max, 0, 1])
  func whatIsKnownIsWhatWasNoted(mask: UInt64) {
    var random = SplitMix64(seed: mask)
    var recent = RecentSlots<Int32>()
    var all: [Int32: Int] = [:]
    var hits = 0
    for _ in 0..<50_000 {
      let key = Int32.random(in: 0..<500, using: &random)
      // With few hashes, keys replace each other.
      let hash = UInt64(key) & mask
      if let slot = recent.slot(of: key, hash: hash) {
        #expect(slot == all[key])
        hits += 1
      } else {
        all[key] = all[key] ?? all.count
        recent.note(all[key] ?? 0, of: key, hash: hash)
      }
    }
    #expect(hits > (mask == .max ? 40_000 : 0))
  }

  @Test func nothingIsKnownOfWhatIsForgotten() {
    var recent = RecentSlots<String>()
    recent.note(3, of: "a", hash: 7)
    #expect(recent.slot(of: "a", hash: 7) == 3)
    #expect(recent.slot(of: "b", hash: 7) == nil)
    recent.removeAll()
    #expect(recent.slot(of: "a", hash: 7) == nil)
  }
}
