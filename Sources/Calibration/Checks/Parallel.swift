import Dispatch
import Foundation

/// Runs pieces of work on all cores and returns their results in order.
///
/// Each piece has its own draws, so that results do not depend on the number of cores.
func inParallel<Result: Sendable>(_ count: Int, _ piece: @Sendable (Int) -> Result) -> [Result] {
  let results = Results<Result>(count)
  DispatchQueue.concurrentPerform(iterations: count) { results.set($0, piece($0)) }
  return results.all
}

private final class Results<Result: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var values: [Result?]

  init(_ count: Int) { values = [Result?](repeating: nil, count: count) }

  func set(_ place: Int, _ value: Result) { lock.withLock { values[place] = value } }

  var all: [Result] { lock.withLock { values.compactMap { $0 } } }
}
