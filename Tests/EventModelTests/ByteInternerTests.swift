import Basics
import EventModel
import Testing

@Suite struct ByteInternerTests {
  @Test func equalStringsHaveOneNumberAndTheEmptyOneIsZero() {
    var interner = ByteInterner()
    #expect(interner.intern("a") == 1)
    #expect(interner.intern("b") == 2)
    #expect(interner.intern("a") == 1)
    #expect(interner.intern("") == 0)
    #expect(interner[2] == "b")
  }

  /// Compares with a second interner that never contained the removed strings.
  @Test func shrinkingForgetsAsIfNeverSeen() {
    var generator = SplitMix64(seed: 2)
    var shrunk = ByteInterner()
    var fresh = ByteInterner()
    for round in 0..<50 {
      for _ in 0..<40 {
        let name = String(Int.random(in: 0..<1_000, using: &generator))
        #expect(shrunk.intern(name) == fresh.intern(name))
      }
      let count = shrunk.count
      for index in 0..<300 { _ = shrunk.intern("junk \(round) \(index)") }
      shrunk.shrink(to: count)
    }
    #expect(shrunk.count == fresh.count)
    #expect(shrunk.bytes == fresh.bytes)
  }

  @Test func rowsAreForgottenToo() {
    var rows = RowInterner<ContextNames>()
    var context = ContextNames()
    #expect(rows.intern(context) == 0)
    context.paywall = 7
    #expect(rows.intern(context) == 1)
    rows.shrink(to: 1)
    #expect(rows.rows.count == 1)
    #expect(rows.intern(context) == 1)
  }
}
