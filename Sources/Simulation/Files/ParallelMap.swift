import Dispatch
import Synchronization

/// Returns the results of the work on 0, 1, … in that order, computed on all cores.
func parallelMap<Result: Sendable>(count: Int, _ work: @Sendable (Int) -> Result) -> [Result] {
  guard count > 1 else { return count == 1 ? [work(0)] : [] }
  let results = Mutex([Result?](repeating: nil, count: count))
  DispatchQueue.concurrentPerform(iterations: count) { position in
    let result = work(position)
    results.withLock { $0[position] = result }
  }
  return results.withLock { $0.compactMap(\.self) }
}
