import EventSupport
import Foundation
import Testing

@testable import Ingest

@Suite struct OrderedWorkTests {
  struct Failure: Error, Equatable { var number: Int }

  /// How many threads work, and on how many portions they have.
  final class Tally: @unchecked Sendable {
    private let lock = NSLock()
    private var (working, done) = (0, 0)

    func work(on number: Int, failingAt failure: Int?) throws -> Int {
      lock.withLock { working += 1 }
      defer { lock.withLock { (working, done) = (working - 1, done + 1) } }
      // Odd portions take longer, so that the two threads would end out of order.
      if number % 2 == 1 { usleep(100) }
      if number == failure { throw Failure(number: number) }
      return number * number
    }

    var counts: (working: Int, done: Int) { lock.withLock { (working, done) } }
  }

  /// Squares the numbers below 100, and returns those that were taken; all work has ended by then.
  private func squares(
    aside: Bool, workFailingAt work: Int? = nil, readFailingAt reading: Int? = nil, takeFailingAt taking: Int? = nil
  ) -> (taken: [Int], error: Failure?, done: Int) {
    let tally = Tally()
    var (taken, error): ([Int], Failure?) = ([], nil)
    do {
      try OrderedWork.run(
        aside: aside,
        read: { put in
          for number in 0..<100 {
            if number == reading { throw Failure(number: number) }
            try put(number)
          }
        },
        worker: { { (number: Int) in try tally.work(on: number, failingAt: work) } },
        take: { square in
          if taken.count == taking { throw Failure(number: taken.count) }
          taken.append(square)
        })
    } catch let failure as Failure { error = failure } catch { Issue.record(error) }
    let counts = tally.counts
    #expect(counts.working == 0)
    return (taken, error, counts.done)
  }

  @Test(arguments: [false, true]) func takesOutputsInTheOrderOfReading(aside: Bool) {
    let result = squares(aside: aside)
    #expect(result.taken == (0..<100).map { $0 * $0 })
    #expect(result.error == nil && result.done == 100)
  }

  @Test(arguments: [false, true]) func throwsTheErrorOfAPortionAfterThoseBefore(aside: Bool) {
    let result = squares(aside: aside, workFailingAt: 37)
    #expect(result.taken == (0..<37).map { $0 * $0 })
    #expect(result.error == Failure(number: 37))
  }

  @Test(arguments: [false, true]) func throwsTheErrorOfReading(aside: Bool) {
    let result = squares(aside: aside, readFailingAt: 37)
    // Four portions at most have been read and not been taken.
    #expect(result.taken == (0..<result.taken.count).map { $0 * $0 } && (33...37).contains(result.taken.count))
    #expect(result.error == Failure(number: 37))
  }

  @Test(arguments: [false, true]) func stopsWhereTakingFails(aside: Bool) {
    let result = squares(aside: aside, takeFailingAt: 37)
    #expect(result.taken == (0..<37).map { $0 * $0 })
    #expect(result.error == Failure(number: 37))
    // The portion that failed, and at most four behind it.
    #expect((38...42).contains(result.done))
  }
}
