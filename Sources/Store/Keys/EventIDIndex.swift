internal import GRDB

/// Finds users by their names and events by their ids, without a database index on a random key.
///
/// The keys of each commit are one sorted run of blocks; a look-up of many keys walks the runs in order, and small runs
/// are merged to keep their number low. A unique index on the id would cost as much as all other columns together.
final class EventIDIndex {
  /// The number of runs above which a new run is merged with previous ones. A look-up of many keys reads nearly all
  /// blocks, however many runs there are; a look-up of few keys reads one block per run and key, about 0.1 ms each.
  private static let runLimit = 100
  /// The number of keys in a block: at five bytes each, they fill the pages of the file that they take.
  private static let blockSize = 2560

  private let db: Database
  private let table: String
  private let roomyFilterBytes: Int
  /// The location of the keys by run; `nil` until read from the table.
  private var readRuns: [Run]?
  private let insertBlock: SQLiteStatement
  private let readBlock: SQLiteStatement
  private var keys: [HashKey] = []
  /// A filter over all keys of the table. It is built after many look-ups, because building it reads all keys.
  private var filter: BloomFilter?
  private var lookedFor = 0
  private static let filterFrom = 200_000

  private struct Run {
    let number: Int64
    var blocks: [(number: Int64, first: UInt64, count: Int)] = []

    var count: Int { blocks.reduce(0) { $0 + $1.count } }
  }

  /// - Parameters:
  ///   - table: `event_key` or `user_key`.
  ///   - roomyFilterBytes: A power of two.
  init(_ db: Database, table: String, roomyFilterBytes: Int) throws {
    self.db = db
    self.table = table
    self.roomyFilterBytes = roomyFilterBytes
    insertBlock = try SQLiteStatement(db, "INSERT INTO \(table) VALUES (?, ?, ?, ?, ?)")
    readBlock = try SQLiteStatement(db, "SELECT count, keys FROM \(table) WHERE run = ? AND block = ?")
  }

  /// Calls `found` for each stored key whose hash has the same prefix as one of the given keys.
  ///
  /// - Parameters:
  ///   - sorted: The keys in the order of their hashes.
  ///   - found: Takes a place in `sorted` and the user of the stored key.
  func forEachMatch(of sorted: [HashKey], _ found: (_ place: Int, _ storedUser: Int32) throws -> Void) throws {
    lookedFor += sorted.count
    if filter == nil && lookedFor > Self.filterFrom { try fillFilter() }
    guard let filter else { return try lookUp(sorted, found) }
    let places = sorted.indices.filter { filter.mayContain(sorted[$0].hash) }
    if places.isEmpty { return }
    try lookUp(places.map { sorted[$0] }) { try found(places[$0], $1) }
  }

  /// Gives the memory of the filter back until there are many look-ups again.
  func removeFilter() { (filter, lookedFor) = (nil, 0) }

  /// Builds the filter.
  ///
  /// - Parameter more: The number of keys that will be added.
  private func fillFilter(with more: Int = 0) throws {
    let count = try runs().reduce(0) { $0 + $1.count }
    var filter = BloomFilter(roomyBytes: roomyFilterBytes, keyCount: count + more)
    let statement = try SQLiteStatement(db, "SELECT count, keys FROM \(table)")
    while try statement.step() {
      try statement.readKeys(into: &keys)
      for key in keys { filter.insert(key.hash) }
    }
    self.filter = filter
  }

  private func lookUp(_ sorted: [HashKey], _ found: (_ place: Int, _ storedUser: Int32) throws -> Void) throws {
    for run in try runs() {
      var next = 0
      for (index, block) in run.blocks.enumerated() {
        let end = index + 1 < run.blocks.count ? run.blocks[index + 1].first : UInt64.max
        while next < sorted.count, KeyBlock.prefix(sorted[next].hash) < block.first { next += 1 }
        guard next < sorted.count else { break }
        var behind = next
        while behind < sorted.count, KeyBlock.prefix(sorted[behind].hash) <= end { behind += 1 }
        if behind == next { continue }
        readBlock.bind(all: run.number, block.number)
        defer { readBlock.reset() }
        guard try readBlock.step() else { throw BlockView.malformed }
        let isRead = try KeyBlock.forEachMatch(
          in: readBlock.bytes(1), count: Int(readBlock.int64(0)), of: sorted[next..<behind], found)
        if !isRead { throw BlockView.malformed }
      }
    }
  }

  /// Adds keys as a run of their own, then merges runs if there are too many.
  func append(_ sorted: [HashKey]) throws {
    if sorted.isEmpty { return }
    if let filter, filter.isFull(with: sorted.count) {
      self.filter = nil
      try fillFilter(with: sorted.count)
    }
    if filter != nil { for key in sorted { filter?.insert(key.hash) } }
    var all = try runs()
    var run = Run(number: (all.last?.number ?? 0) + 1)
    try sorted.withUnsafeBufferPointer { sorted in
      for start in stride(from: 0, to: sorted.count, by: Self.blockSize) {
        let end = min(start + Self.blockSize, sorted.count)
        try write(UnsafeBufferPointer(rebasing: sorted[start..<end]), to: &run)
      }
    }
    all.append(run)
    readRuns = all
    if all.count > Self.runLimit { try merge(all) }
  }

  /// Merges the youngest runs that together are no larger than the run before them, so that a key is rewritten a
  /// logarithmic number of times.
  private func merge(_ runs: [Run]) throws {
    let sizes = runs.map(\.count)
    var first = runs.count - 2
    var total = sizes[runs.count - 1] + sizes[first]
    while first > 0, sizes[first - 1] <= total * 2 {
      first -= 1
      total += sizes[first]
    }
    let merged = try mergeBlocks(of: runs[first...].map(\.number), into: runs[runs.count - 1].number + 1)
    let list = runs[first...].map { String($0.number) }.joined(separator: ", ")
    try db.execute(sql: "DELETE FROM \(table) WHERE run IN (\(list))")
    readRuns = runs[..<first] + [merged]
  }

  private func mergeBlocks(of runs: [Int64], into number: Int64) throws -> Run {
    let merge = try KWayMerge(db, table: table, runs: runs, blockSize: Self.blockSize)
    var run = Run(number: number)
    try withUnsafeTemporaryAllocation(of: HashKey.self, capacity: Self.blockSize) { block in
      block.initialize(repeating: HashKey(hash: 0, user: 0))
      while case let count = try merge.take(into: block), count > 0 {
        try write(UnsafeBufferPointer(rebasing: block[..<count]), to: &run)
      }
    }
    return run
  }

  private func write(_ keys: UnsafeBufferPointer<HashKey>, to run: inout Run) throws {
    let first = KeyBlock.prefix(keys.first?.hash ?? 0)
    let number = Int64(run.blocks.count)
    try insertBlock.run(
      binding: run.number, number, Int64(first), Int64(keys.count), blob: KeyBlock.encode(keys))
    run.blocks.append((number, first, keys.count))
  }

  /// Returns the runs, in order. They are cached because a look-up per batch would read all pages of the table.
  private func runs() throws -> [Run] {
    if let readRuns { return readRuns }
    var runs: [Run] = []
    let statement = try SQLiteStatement(db, "SELECT run, block, first, count FROM \(table) ORDER BY run, block")
    while try statement.step() {
      if runs.last?.number != statement.int64(0) { runs.append(Run(number: statement.int64(0))) }
      runs[runs.count - 1].blocks.append(
        (statement.int64(1), UInt64(statement.int64(2)), Int(statement.int64(3))))
    }
    readRuns = runs
    return runs
  }
}

extension EventIDIndex {
  /// Removes the keys of users from a table. An `EventIDIndex` that has already read the table does not notice.
  ///
  /// - Parameter table: `event_key` or `user_key`.
  static func remove(_ db: Database, from table: String, users: Set<Int32>) throws {
    let select = try SQLiteStatement(db, "SELECT count, keys FROM \(table) WHERE run = ? AND block = ?")
    let update = try SQLiteStatement(
      db, "UPDATE \(table) SET first = ?3, count = ?4, keys = ?5 WHERE run = ?1 AND block = ?2")
    let delete = try SQLiteStatement(db, "DELETE FROM \(table) WHERE run = ?1 AND block = ?2")
    var keys: [HashKey] = []
    for row in try Row.fetchAll(db, sql: "SELECT run, block FROM \(table)") {
      let place: (run: Int64, block: Int64) = try (row.required(0), row.required(1))
      select.bind(all: place.run, place.block)
      guard try select.step() else { throw BlockView.malformed }
      try select.readKeys(into: &keys)
      select.reset()
      let kept = keys.filter { !users.contains($0.user) }
      if kept.count == keys.count { continue }
      guard let first = kept.first else {
        try delete.run(binding: place.run, place.block)
        continue
      }
      try update.run(
        binding: place.run, place.block, Int64(KeyBlock.prefix(first.hash)), Int64(kept.count),
        blob: kept.withUnsafeBufferPointer(KeyBlock.encode))
    }
  }
}

extension SQLiteStatement {
  /// Reads the keys from a row of `count, keys`.
  func readKeys(into keys: inout [HashKey]) throws {
    guard KeyBlock.decode(bytes(1), count: Int(int64(0)), into: &keys) else { throw BlockView.malformed }
  }
}
