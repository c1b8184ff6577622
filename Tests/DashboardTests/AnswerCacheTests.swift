import Synchronization
import Testing

@testable import Dashboard

struct AnswerCacheTests {
  /// Computes answers and counts the computations.
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
    let (cache, maker) = (AnswerCache<Int>(mostStale: .zero), Maker())
    for (version, made) in [(1, 1), (1, 1), (2, 2), (2, 2), (1, 3)] {
      let answer = await cache.answer(to: "/", of: version, isCurrent: true) { await maker.make() }
      #expect(answer.bytes.first == UInt8(made))
    }
    _ = await cache.answer(to: "/other", of: 1, isCurrent: true) { await maker.make() }
    #expect(maker.count == 4)
  }

  @Test func manyWhoAskTogetherAreAnsweredAtOnce() async {
    let (cache, maker) = (AnswerCache<Int>(mostStale: .zero), Maker())
    await withTaskGroup(of: UInt8?.self) { group in
      for _ in 0..<100 {
        group.addTask {
          await cache.answer(to: "/", of: 1, isCurrent: true) { await maker.make(waiting: .milliseconds(50)) }.bytes
            .first
        }
      }
      for await first in group { #expect(first == 1) }
    }
    #expect(maker.count == 1)
  }

  @Test func faultsThatPassAreNotKept() async {
    let (cache, maker) = (AnswerCache<Int>(mostStale: .zero), Maker())
    for _ in 0..<3 { _ = await cache.answer(to: "/", of: 1, isCurrent: true) { await maker.make(isLasting: false) } }
    #expect(maker.count == 3)
    for _ in 0..<2 { _ = await cache.answer(to: "/", of: nil, isCurrent: true) { await maker.make() } }
    #expect(maker.count == 5)
  }

  /// The cache has room for 16 answers of 10 bytes with their requests, of 2 and 3 bytes, and 256 bytes of
  /// tables for each (10 · 268 + 6 · 269 = 4,294); the least recently used one is evicted first.
  @Test func thereIsOnlySoMuchRoom() async {
    let (cache, maker) = (AnswerCache<Int>(mostBytes: 4_300, mostStale: .zero), Maker())
    func ask(_ path: String, _ size: Int = 10) async {
      _ = await cache.answer(to: path, of: 1, isCurrent: true) { await maker.make(size) }
    }
    await ask("/large", 269)
    await ask("/large", 269)
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

  /// An answer started before a commit goes to those who asked before it, and to nobody afterwards.
  @Test func aCommitMeanwhileIsSeen() async {
    let (cache, maker) = (AnswerCache<Int>(mostStale: .zero), Maker())
    async let before = cache.answer(to: "/", of: 1, isCurrent: true) { await maker.make(waiting: .milliseconds(100)) }
    try? await Task.sleep(for: .milliseconds(20))
    let after = await cache.answer(to: "/", of: 2, isCurrent: true) { await maker.make() }
    #expect(await before.bytes.first == 1)
    #expect(after.bytes.first == 2)
    #expect(await cache.answer(to: "/", of: 2, isCurrent: true) { await maker.make() }.bytes.first == 2)
  }

  /// A request that accepts the previous answer gets it at once while the new one is computed, and later requests get
  /// the new one.
  @Test func aFormerAnswerIsGivenWhileTheNewOneIsMade() async {
    let (cache, maker) = (AnswerCache<Int>(mostStale: .seconds(60), patience: .milliseconds(20)), Maker())
    _ = await cache.answer(to: "/", of: 1, isCurrent: false) { await maker.make() }
    let gate = AsyncStream<Void>.makeStream()
    func ask(isCurrent: Bool = false) async -> StoredAnswer {
      await cache.answer(to: "/", of: 2, isCurrent: isCurrent) {
        for await _ in gate.stream { break }
        return await maker.make()
      }
    }
    for _ in 0..<3 {
      let former = await ask()
      #expect(former.bytes.first == 1 && former.age != nil)
    }
    gate.continuation.finish()
    let current = await ask(isCurrent: true)
    #expect(current.bytes.first != 1 && current.age == nil)
    let next = await ask()
    #expect(next.bytes.first != 1 && next.age == nil)
    // One for all requests that accepted the previous answer, and perhaps one for the others.
    #expect((2...3).contains(maker.count))
  }

  /// A new answer that is ready in time replaces the previous one.
  @Test func aNewAnswerThatIsThereInTimeIsGiven() async {
    let (cache, maker) = (AnswerCache<Int>(mostStale: .seconds(60), patience: .seconds(60)), Maker())
    for version in 1...3 {
      let answer = await cache.answer(to: "/", of: version, isCurrent: false) { await maker.make() }
      #expect(answer.bytes.first == UInt8(version) && answer.age == nil)
    }
  }

  /// After a while the previous answer is no longer served.
  @Test func aFormerAnswerHasItsTime() async throws {
    let (cache, maker) = (AnswerCache<Int>(mostStale: .milliseconds(50), patience: .zero), Maker())
    _ = await cache.answer(to: "/", of: 1, isCurrent: false) { await maker.make() }
    await cache.see(2)
    try await Task.sleep(for: .milliseconds(60))
    let answer = await cache.answer(to: "/", of: 2, isCurrent: false) { await maker.make() }
    #expect(answer.bytes.first == 2 && answer.age == nil)
  }

  /// A refresh uses the content at its start, so earlier commits cause no further refreshes.
  @Test func refreshesAreMadeOneAfterTheOther() async {
    let (cache, maker) = (AnswerCache<Int>(mostStale: .seconds(60), patience: .zero), Maker())
    let version = Mutex(1)
    let most = Mutex((now: 0, most: 0))
    func ask(_ page: Int, isCurrent: Bool = false) async -> StoredAnswer {
      await cache.answer(to: "/\(page)", of: version.withLock { $0 }, isCurrent: isCurrent) {
        most.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        let answer = await maker.make(waiting: .milliseconds(5))
        most.withLock { $0.now -= 1 }
        return answer
      }
    }
    for page in 0..<8 { _ = await ask(page) }
    version.withLock { $0 = 2 }
    for page in 0..<8 { #expect(await ask(page).age != nil) }
    version.withLock { $0 = 3 }
    // Whichever refresh was running when the content changed again, the last one has the newest content.
    while await ask(7).age != nil { try? await Task.sleep(for: .milliseconds(2)) }
    #expect(most.withLock { $0.most } == 1)
    #expect(await ask(7, isCurrent: true).age == nil)
    #expect((16...17).contains(maker.count))
  }
}
