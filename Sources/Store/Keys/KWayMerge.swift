internal import GRDB

/// Reads the keys of several runs in the order of their hashes, with one block of each run in memory.
final class KWayMerge {
  private let statements: [SQLiteStatement]
  private let blockSize: Int
  private var decoded: [HashKey] = []
  /// A section of `blockSize` keys for each run.
  private let keys: UnsafeMutableBufferPointer<HashKey>
  /// The place in `keys` of each run's next key, and of the end of its keys.
  private var next: [Int]
  private var end: [Int]
  /// A heap of the runs that have keys, each with its next hash: no entry comes before the one at half its place
  /// (Williams 1964).
  private var heap: [(hash: UInt64, run: Int)] = []

  /// - Parameters:
  ///   - table: `event_key` or `user_key`.
  ///   - blockSize: The maximum number of keys in a block.
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

  /// Moves the next keys, in order, to a buffer.
  ///
  /// - Returns: The number of keys; fewer than the buffer holds only at the end.
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

  /// Reads the next block of a run; returns `false` at its end.
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
