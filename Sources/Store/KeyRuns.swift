internal import GRDB

/// Finds users by their names, and events by their ids, without an index on a random key.
///
/// The keys of each commit are one sorted run of blocks; a look-up of many keys walks the runs in order, and small
/// runs are merged, so that there are few. A unique index on the id would cost as much as all other columns together.
final class KeyRuns {
  /// A run is merged with its elders once there are more runs than this.
  private static let runLimit = 16
  private static let blockSize = 2048

  private let db: Database
  private let table: String
  private let insertBlock: SQLiteStatement
  private let readBlock: SQLiteStatement
  private var keys: [HashKey] = []
  /// Of all keys of the table, once many have been looked for: to fill it, all are read.
  private var filter: KeyFilter?
  private var lookedFor = 0
  private static let filterFrom = 200_000

  /// - Parameter table: `event_key` or `user_key`.
  init(_ db: Database, table: String) throws {
    self.db = db
    self.table = table
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

  private func fillFilter() throws {
    var filter = KeyFilter()
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
        try readBlock.readKeys(into: &keys)
        try Self.forEachMatch(in: keys, of: sorted, from: next, found)
      }
    }
  }

  private static func forEachMatch(
    in keys: [HashKey], of sorted: [HashKey], from start: Int,
    _ found: (_ place: Int, _ storedUser: Int32) throws -> Void
  ) throws {
    var place = 0
    var next = start
    while place < keys.count, next < sorted.count {
      let hash = KeyBlock.prefix(keys[place].hash)
      let wanted = KeyBlock.prefix(sorted[next].hash)
      if hash < wanted {
        place += 1
      } else if hash > wanted {
        next += 1
      } else {
        var same = next
        while same < sorted.count, KeyBlock.prefix(sorted[same].hash) == hash {
          try found(same, keys[place].user)
          same += 1
        }
        place += 1
      }
    }
  }

  /// Adds keys as a run of their own, then merges runs while there are many.
  func append(_ sorted: [HashKey]) throws {
    if sorted.isEmpty { return }
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

  /// Reads one run, block by block.
  private struct Cursor {
    let statement: SQLiteStatement
    private var keys: [HashKey] = []
    private var next = 0

    init(_ db: Database, table: String, run: Int64) throws {
      statement = try SQLiteStatement(
        db, "SELECT count, keys FROM \(table) WHERE run = ? ORDER BY block")
      statement.bind(1, run)
      try readBlock()
    }

    var key: HashKey? { next < keys.count ? keys[next] : nil }

    mutating func advance() throws {
      next += 1
      if next == keys.count { try readBlock() }
    }

    private mutating func readBlock() throws {
      keys.removeAll(keepingCapacity: true)
      next = 0
      guard try statement.step() else { return }
      try statement.readKeys(into: &keys)
    }
  }

  private func mergeBlocks(of runs: [Int64], into run: Int64) throws {
    var cursors = try runs.map { try Cursor(db, table: table, run: $0) }
    var block: [HashKey] = []
    var number: Int64 = 0
    while true {
      var least: Int?
      for (index, cursor) in cursors.enumerated() {
        guard let key = cursor.key else { continue }
        if let current = least, let best = cursors[current].key, best.hash <= key.hash { continue }
        least = index
      }
      guard let least, let key = cursors[least].key else { break }
      block.append(key)
      try cursors[least].advance()
      if block.count == Self.blockSize {
        try write(block[...], run: run, block: number)
        number += 1
        block.removeAll(keepingCapacity: true)
      }
    }
    if !block.isEmpty { try write(block[...], run: run, block: number) }
  }

  private func write(_ sorted: [HashKey], run: Int64) throws {
    for (number, start) in stride(from: 0, to: sorted.count, by: Self.blockSize).enumerated() {
      try write(sorted[start..<min(start + Self.blockSize, sorted.count)], run: run, block: Int64(number))
    }
  }

  private func write(_ keys: ArraySlice<HashKey>, run: Int64, block: Int64) throws {
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
  fileprivate func readKeys(into keys: inout [HashKey]) throws {
    guard KeyBlock.decode(bytes(1), count: Int(int64(0)), into: &keys) else { throw BlockView.malformed }
  }
}
