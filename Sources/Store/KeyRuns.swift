internal import GRDB

/// Finds users by their names, and events by their ids, without an index on a random key.
///
/// The keys of each commit are one sorted run of blocks; a look-up of many keys walks the runs in order, and small
/// runs are merged, so that there are few. A unique index on the id would cost as much as all other columns together.
final class KeyRuns {
  /// A run is merged with its elders once there are more runs than this. A look-up of many keys reads about all blocks,
  /// whatever the runs; one of few keys reads a block a run for each, about a tenth of a millisecond.
  private static let runLimit = 100
  private static let blockSize = 2048

  private let db: Database
  private let table: String
  private let leastFilterBytes: Int
  private let insertBlock: SQLiteStatement
  private let readBlock: SQLiteStatement
  private var keys: [HashKey] = []
  /// Of all keys of the table, once many have been looked for: to fill it, all are read.
  private var filter: KeyFilter?
  private var lookedFor = 0
  private static let filterFrom = 200_000

  /// - Parameters:
  ///   - table: `event_key` or `user_key`.
  ///   - leastFilterBytes: A power of two.
  init(_ db: Database, table: String, leastFilterBytes: Int) throws {
    self.db = db
    self.table = table
    self.leastFilterBytes = leastFilterBytes
    insertBlock = try SQLiteStatement(db, "INSERT INTO \(table) VALUES (?, ?, ?, ?, ?)")
    readBlock = try SQLiteStatement(db, "SELECT count, keys FROM \(table) WHERE run = ? AND block = ?")
  }

  /// Calls `found` for each stored key whose hash begins as one of those given.
  ///
  /// - Parameters:
  ///   - sorted: Keys in order of hash.
  ///   - found: Takes a place in `sorted`, and the user that the stored key has.
  func forEachMatch(of sorted: [HashKey], _ found: (_ place: Int, _ storedUser: Int32) throws -> Void) throws {
    lookedFor += sorted.count
    if filter == nil && lookedFor > Self.filterFrom { try fillFilter() }
    guard let filter else { return try lookUp(sorted, found) }
    let places = sorted.indices.filter { filter.mayContain(sorted[$0].hash) }
    if places.isEmpty { return }
    try lookUp(places.map { sorted[$0] }) { try found(places[$0], $1) }
  }

  /// - Parameter more: Keys that will be added.
  private func fillFilter(with more: Int = 0) throws {
    let count = try Int.fetchOne(db, sql: "SELECT SUM(count) FROM \(table)") ?? 0
    var filter = KeyFilter(leastBytes: leastFilterBytes, keyCount: count + more)
    let statement = try SQLiteStatement(db, "SELECT count, keys FROM \(table)")
    while try statement.step() {
      try statement.readKeys(into: &keys)
      for key in keys { filter.insert(key.hash) }
    }
    self.filter = filter
  }

  private func lookUp(_ sorted: [HashKey], _ found: (_ place: Int, _ storedUser: Int32) throws -> Void) throws {
    for run in try runs() {
      let statement = try SQLiteStatement(db, "SELECT block, first FROM \(table) WHERE run = \(run) ORDER BY block")
      var blocks: [(number: Int64, first: UInt64)] = []
      while try statement.step() { blocks.append((statement.int64(0), UInt64(statement.int64(1)))) }
      var next = 0
      for (index, block) in blocks.enumerated() {
        let end = index + 1 < blocks.count ? blocks[index + 1].first : UInt64.max
        while next < sorted.count, KeyBlock.prefix(sorted[next].hash) < block.first { next += 1 }
        guard next < sorted.count else { break }
        if KeyBlock.prefix(sorted[next].hash) > end { continue }
        readBlock.bind(1, run)
        readBlock.bind(2, block.number)
        defer { readBlock.reset() }
        guard try readBlock.step() else { continue }
        let isRead = try KeyBlock.forEachMatch(
          in: readBlock.bytes(1), count: Int(readBlock.int64(0)), of: sorted[next...], found)
        if !isRead { throw BlockView.malformed }
      }
    }
  }

  /// Adds keys as a run of their own, then merges runs while there are many.
  func append(_ sorted: [HashKey]) throws {
    if sorted.isEmpty { return }
    if let filter, filter.isFull(with: sorted.count) {
      self.filter = nil
      try fillFilter(with: sorted.count)
    }
    if filter != nil { for key in sorted { filter?.insert(key.hash) } }
    let run = try (Int64.fetchOne(db, sql: "SELECT MAX(run) FROM \(table)") ?? 0) + 1
    try write(sorted, run: run)
    let all = try runs()
    if all.count > Self.runLimit { try merge(all) }
  }

  /// Merges the youngest runs that together are no larger than their elder, so that a key is rewritten a
  /// logarithmic number of times.
  private func merge(_ runs: [Int64]) throws {
    var sizes: [Int] = []
    for run in runs {
      sizes.append(
        try Int.fetchOne(db, sql: "SELECT SUM(count) FROM \(table) WHERE run = ?", arguments: [run]) ?? 0)
    }
    var first = runs.count - 2
    var total = sizes[runs.count - 1] + sizes[first]
    while first > 0, sizes[first - 1] <= total * 2 {
      first -= 1
      total += sizes[first]
    }
    try mergeBlocks(of: Array(runs[first...]), into: runs[runs.count - 1] + 1)
    let list = runs[first...].map(String.init).joined(separator: ", ")
    try db.execute(sql: "DELETE FROM \(table) WHERE run IN (\(list))")
  }

  private func mergeBlocks(of runs: [Int64], into run: Int64) throws {
    let merge = try KeyMerge(db, table: table, runs: runs, blockSize: Self.blockSize)
    try withUnsafeTemporaryAllocation(of: HashKey.self, capacity: Self.blockSize) { block in
      block.initialize(repeating: HashKey(hash: 0, user: 0))
      var number: Int64 = 0
      while case let count = try merge.take(into: block), count > 0 {
        try write(UnsafeBufferPointer(rebasing: block[..<count]), run: run, block: number)
        number += 1
      }
    }
  }

  private func write(_ sorted: [HashKey], run: Int64) throws {
    try sorted.withUnsafeBufferPointer { sorted in
      for (number, start) in stride(from: 0, to: sorted.count, by: Self.blockSize).enumerated() {
        let end = min(start + Self.blockSize, sorted.count)
        try write(UnsafeBufferPointer(rebasing: sorted[start..<end]), run: run, block: Int64(number))
      }
    }
  }

  private func write(_ keys: UnsafeBufferPointer<HashKey>, run: Int64, block: Int64) throws {
    insertBlock.bind(1, run)
    insertBlock.bind(2, block)
    insertBlock.bind(3, Int64(KeyBlock.prefix(keys.first?.hash ?? 0)))
    insertBlock.bind(4, Int64(keys.count))
    try KeyBlock.encode(keys).withUnsafeBytes { raw in
      insertBlock.bindBlob(5, raw)
      try insertBlock.run()
    }
  }

  private func runs() throws -> [Int64] {
    try Int64.fetchAll(db, sql: "SELECT DISTINCT run FROM \(table) ORDER BY run")
  }
}

extension SQLiteStatement {
  /// Reads the keys of a row of `count, keys`.
  func readKeys(into keys: inout [HashKey]) throws {
    guard KeyBlock.decode(bytes(1), count: Int(int64(0)), into: &keys) else { throw BlockView.malformed }
  }
}
