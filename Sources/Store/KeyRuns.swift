internal import GRDB

/// A key: the hash of what is looked for, and the user that it leads to.
struct HashKey {
  var hash: UInt64
  var user: Int32
}

/// Finds users by their names, and events by their ids, without an index on a random key.
///
/// The keys of each commit are one sorted run of blocks; a look-up of many keys walks the runs in order, and small
/// runs are merged, so that there are few. A unique index on the id would cost as much as all other columns together.
final class KeyRuns {
  private struct Block {
    var number: Int64
    var firstHash: UInt64
  }

  /// A run is merged with its elders once there are more runs than this.
  private static let runLimit = 8
  private static let blockSize = 2048

  private let db: Database
  private let insertBlock: SQLiteStatement
  private let readBlock: SQLiteStatement

  private let table: String

  /// - Parameter table: `event_key` or `user_key`.
  init(_ db: Database, table: String) throws {
    self.db = db
    self.table = table
    insertBlock = try SQLiteStatement(db, "INSERT INTO \(table) VALUES (?, ?, ?)")
    readBlock = try SQLiteStatement(db, "SELECT keys FROM \(table) WHERE run = ? AND block = ?")
  }

  /// Calls `found` for each stored key whose hash is among those given.
  ///
  /// - Parameters:
  ///   - sorted: Keys in order of hash.
  ///   - found: Takes a place in `sorted`, and the user that the stored key has.
  func forEachMatch(of sorted: [HashKey], _ found: (_ place: Int, _ storedUser: Int32) throws -> Void) throws {
    for run in try runs() {
      let statement = try SQLiteStatement(
        db, "SELECT block, substr(keys, 1, 8) FROM \(table) WHERE run = \(run) ORDER BY block")
      var blocks: [Block] = []
      while try statement.step() {
        let first = statement.bytes(1).loadUnaligned(as: UInt64.self)
        blocks.append(Block(number: statement.int64(0), firstHash: UInt64(littleEndian: first)))
      }
      var next = 0
      for (index, block) in blocks.enumerated() {
        let end = index + 1 < blocks.count ? blocks[index + 1].firstHash : UInt64.max
        while next < sorted.count, sorted[next].hash < block.firstHash { next += 1 }
        guard next < sorted.count else { break }
        if sorted[next].hash > end { continue }
        readBlock.bind(1, run)
        readBlock.bind(2, block.number)
        guard try readBlock.step() else { continue }
        try Self.forEachMatch(in: readBlock.bytes(0), of: sorted, from: next, found)
        readBlock.reset()
      }
    }
  }

  private static func forEachMatch(
    in bytes: UnsafeRawBufferPointer, of sorted: [HashKey], from start: Int,
    _ found: (_ place: Int, _ storedUser: Int32) throws -> Void
  ) throws {
    let count = bytes.count / 12
    var place = 0
    var next = start
    while place < count, next < sorted.count {
      let hash = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self))
      if hash < sorted[next].hash {
        place += 1
      } else if hash > sorted[next].hash {
        next += 1
      } else {
        var same = next
        while same < sorted.count, sorted[same].hash == hash {
          let user = bytes.loadUnaligned(fromByteOffset: count * 8 + place * 4, as: Int32.self)
          try found(same, Int32(littleEndian: user))
          same += 1
        }
        place += 1
      }
    }
  }

  /// Adds keys as a run of their own, then merges runs while there are many.
  func append(_ sorted: [HashKey]) throws {
    if sorted.isEmpty { return }
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
        try Int.fetchOne(db, sql: "SELECT SUM(length(keys)) / 12 FROM \(table) WHERE run = ?", arguments: [run]) ?? 0)
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
      statement = try SQLiteStatement(db, "SELECT keys FROM \(table) WHERE run = ? ORDER BY block")
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
      let bytes = statement.bytes(0)
      let count = bytes.count / 12
      for place in 0..<count {
        let hash = bytes.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self)
        let user = bytes.loadUnaligned(fromByteOffset: count * 8 + place * 4, as: Int32.self)
        keys.append(HashKey(hash: UInt64(littleEndian: hash), user: Int32(littleEndian: user)))
      }
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
    var bytes: [UInt8] = []
    bytes.reserveCapacity(keys.count * 12)
    for key in keys { withUnsafeBytes(of: key.hash.littleEndian) { bytes.append(contentsOf: $0) } }
    for key in keys { withUnsafeBytes(of: key.user.littleEndian) { bytes.append(contentsOf: $0) } }
    insertBlock.bind(1, run)
    insertBlock.bind(2, block)
    try bytes.withUnsafeBytes { raw in
      insertBlock.bindBlob(3, raw)
      try insertBlock.run()
    }
  }

  private func runs() throws -> [Int64] {
    try Int64.fetchAll(db, sql: "SELECT DISTINCT run FROM \(table) ORDER BY run")
  }
}
