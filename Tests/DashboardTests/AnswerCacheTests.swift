import Synchronization
import Testing

@testable import Dashboard

struct AnswerCacheTests {
  /// Makes answers that say how often they were made.
  private final class Maker: Sendable {
    private let made = Mutex(0)

    var count: Int { made.withLock { $0 } }

    func make(_ size: Int = 4, isLasting: Bool = true, waiting: Duration = .zero) async -> StoredAnswer {
      let number = made.withLock { made in
        made += 1
        return made
      }
      try? await Task.sleep(for: waiting)
      return StoredAnswer(
        bytes: [UInt8](repeating: UInt8(number), count: size), type: "text/plain", isLasting: isLasting)
    }
  }

  @Test func whatWasAnsweredIsTheAnswerUntilTheStoreChanges() async {
    let (cache, maker) = (AnswerCache<Int>(), Maker())
    for (version, made) in [(1, 1), (1, 1), (2, 2), (2, 2), (1, 3)] {
      let answer = await cache.answer(to: "/", of: version) { await maker.make() }
      #expect(answer.bytes.first == UInt8(made))
    }
    _ = await cache.answer(to: "/other", of: 1) { await maker.make() }
    #expect(maker.count == 4)
  }

  @Test func manyWhoAskTogetherAreAnsweredAtOnce() async {
    let (cache, maker) = (AnswerCache<Int>(), Maker())
    await withTaskGroup(of: UInt8?.self) { group in
      for _ in 0..<100 {
        group.addTask {
          await cache.answer(to: "/", of: 1) { await maker.make(waiting: .milliseconds(50)) }.bytes.first
        }
      }
      for await first in group { #expect(first == 1) }
    }
    #expect(maker.count == 1)
  }

  @Test func faultsThatPassAreNotKept() async {
    let (cache, maker) = (AnswerCache<Int>(), Maker())
    for _ in 0..<3 { _ = await cache.answer(to: "/", of: 1) { await maker.make(isLasting: false) } }
    #expect(maker.count == 3)
    for _ in 0..<2 { _ = await cache.answer(to: "/", of: nil) { await maker.make() } }
    #expect(maker.count == 5)
  }

  /// Of 160 bytes each answer may have 10; the one that nobody asked for longest goes first.
  @Test func thereIsOnlySoMuchRoom() async {
    let (cache, maker) = (AnswerCache<Int>(mostBytes: 160), Maker())
    func ask(_ path: String, _ size: Int = 10) async {
      _ = await cache.answer(to: path, of: 1) { await maker.make(size) }
    }
    await ask("/large", 11)
    await ask("/large", 11)
    #expect(maker.count == 2)
    for page in 0..<16 { await ask("/\(page)") }
    await ask("/0")
    #expect(maker.count == 18)
    await ask("/16")
    await ask("/0")
    #expect(maker.count == 19)
    await ask("/1")
    #expect(maker.count == 20)
  }

  /// An answer that was begun before a commit is given to who asked then, and to nobody after it.
  @Test func aCommitMeanwhileIsSeen() async {
    let (cache, maker) = (AnswerCache<Int>(), Maker())
    async let before = cache.answer(to: "/", of: 1) { await maker.make(waiting: .milliseconds(100)) }
    try? await Task.sleep(for: .milliseconds(20))
    let after = await cache.answer(to: "/", of: 2) { await maker.make() }
    #expect(await before.bytes.first == 1)
    #expect(after.bytes.first == 2)
    #expect(await cache.answer(to: "/", of: 2) { await maker.make() }.bytes.first == 2)
  }
}
