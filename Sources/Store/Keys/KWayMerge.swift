internal import GRDB

/// Goes through the keys of several runs in order of their hashes; what is in memory is a block of each run.
final class KWayMerge {
  private let statements: [SQLiteStatement]
  private let blockSize: Int
  private var decoded: [HashKey] = []
  /// A stretch of `blockSize` for each run.
  private let keys: UnsafeMutableBufferPointer<HashKey>
  /// Where each run's keys go on in `keys`, and where they end.
  private var next: [Int]
  private var end: [Int]
  /// The runs that have keys, each with the hash that it comes to next, as a heap: none is before the one at half its
  /// place (Williams 1964).
  private var heap: [(hash: UInt64, run: Int)] = []

  /// - Parameters:
  ///   - table: `event_key` or `user_key`.
  ///   - blockSize: The keys of a block at most.
  init(_ db: Database, table: String, runs: [Int64], blockSize: Int) throws {
    self.blockSize = blockSize
    statements = try runs.map { run in
      let statement = try SQLiteStatement(db, "SELECT count, keys FROM \(table) WHERE run = ? ORDER BY block")
      statement.bind(1, run)
      return statement
    }
    keys = .allocate(capacity: runs.count * blockSize)
    keys.initialize(repeating: HashKey(hash: 0, user: 0))
    next = [Int](repeating: 0, count: runs.count)
    end = next
    for run in runs.indices where try fill(run) { heap.append((keys[next[run]].hash, run)) }
    for place in heap.indices.reversed() { sink(place) }
  }

  deinit { keys.deallocate() }

  /// Moves keys in order to where they fit.
  ///
  /// - Returns: How many; fewer than there is room for at the end.
  func take(into taken: UnsafeMutableBufferPointer<HashKey>) throws -> Int {
    var count = 0
    while count < taken.count, let (_, run) = heap.first {
      taken[count] = keys[next[run]]
      count += 1
      next[run] += 1
      if try next[run] < end[run] || fill(run) {
        heap[0].hash = keys[next[run]].hash
      } else {
        let last = heap.removeLast()
        if heap.isEmpty { break }
        heap[0] = last
      }
      sink(0)
    }
    return count
  }

  /// Reads the next block of a run; `false` at its end.
  private func fill(_ run: Int) throws -> Bool {
    guard try statements[run].step() else { return false }
    try statements[run].readKeys(into: &decoded)
    if decoded.isEmpty || decoded.count > blockSize { throw BlockView.malformed }
    next[run] = run * blockSize
    end[run] = next[run] + decoded.count
    _ = keys[next[run]..<end[run]].update(fromContentsOf: decoded)
    return true
  }

  @inline(__always)
  private func sink(_ start: Int) {
    heap.withUnsafeMutableBufferPointer { heap in
      var place = start
      let sunk = heap[place]
      while true {
        var child = place * 2 + 1
        if child >= heap.count { break }
        if child + 1 < heap.count, heap[child + 1].hash < heap[child].hash { child += 1 }
        if sunk.hash <= heap[child].hash { break }
        heap[place] = heap[child]
        place = child
      }
      heap[place] = sunk
    }
  }
}
