internal import GRDB

/// A key of an event: the hash of its app and id, and the user that it is stored under.
struct EventKey {
  var hash: UInt64
  var user: Int32
}

/// Finds events by id without an index on a random key.
///
/// The keys of each commit are one sorted run of blocks; a look-up of many keys walks the runs in order, and small
/// runs are merged, so that there are few. A unique index on the id would cost as much as all other columns together.
final class EventKeyIndex {
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

  init(_ db: Database) throws {
    self.db = db
    insertBlock = try SQLiteStatement(db, "INSERT INTO event_key VALUES (?, ?, ?)")
    readBlock = try SQLiteStatement(db, "SELECT keys FROM event_key WHERE run = ? AND block = ?")
  }

  /// Calls `found` for each stored key whose hash is among those given.
  ///
  /// - Parameter sorted: Keys in order of hash.
  func forEachMatch(of sorted: [EventKey], _ found: (_ key: EventKey, _ storedUser: Int32) throws -> Void) throws {
    for run in try runs() {
      let statement = try SQLiteStatement(
        db, "SELECT block, substr(keys, 1, 8) FROM event_key WHERE run = \(run) ORDER BY block")
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
    in bytes: UnsafeRawBufferPointer, of sorted: [EventKey], from start: Int,
    _ found: (_ key: EventKey, _ storedUser: Int32) throws -> Void
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
          try found(sorted[same], Int32(littleEndian: user))
          same += 1
        }
        place += 1
      }
    }
  }

  /// Adds keys as a run of their own, then merges runs while there are many.
  func append(_ sorted: [EventKey]) throws {
    if sorted.isEmpty { return }
    let run = try (Int64.fetchOne(db, sql: "SELECT MAX(run) FROM event_key") ?? 0) + 1
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
        try Int.fetchOne(db, sql: "SELECT SUM(length(keys)) / 12 FROM event_key WHERE run = ?", arguments: [run]) ?? 0)
    }
    var first = runs.count - 2
    var total = sizes[runs.count - 1] + sizes[first]
    while first > 0, sizes[first - 1] <= total * 2 {
      first -= 1
      total += sizes[first]
    }
    var keys: [EventKey] = []
    keys.reserveCapacity(total)
    let statement = try SQLiteStatement(db, "SELECT keys FROM event_key WHERE run >= ? ORDER BY run, block")
    statement.bind(1, runs[first])
    while try statement.step() {
      let bytes = statement.bytes(0)
      let count = bytes.count / 12
      for place in 0..<count {
        let hash = bytes.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self)
        let user = bytes.loadUnaligned(fromByteOffset: count * 8 + place * 4, as: Int32.self)
        keys.append(EventKey(hash: UInt64(littleEndian: hash), user: Int32(littleEndian: user)))
      }
    }
    try db.execute(sql: "DELETE FROM event_key WHERE run >= ?", arguments: [runs[first]])
    keys.sort { ($0.hash, $0.user) < ($1.hash, $1.user) }
    try write(keys, run: runs[first])
  }

  private func write(_ sorted: [EventKey], run: Int64) throws {
    var block: Int64 = 0
    var start = 0
    var bytes: [UInt8] = []
    while start < sorted.count {
      let keys = sorted[start..<min(start + Self.blockSize, sorted.count)]
      bytes.removeAll(keepingCapacity: true)
      for key in keys { withUnsafeBytes(of: key.hash.littleEndian) { bytes.append(contentsOf: $0) } }
      for key in keys { withUnsafeBytes(of: key.user.littleEndian) { bytes.append(contentsOf: $0) } }
      insertBlock.bind(1, run)
      insertBlock.bind(2, block)
      try bytes.withUnsafeBytes { raw in
        insertBlock.bindBlob(3, raw)
        try insertBlock.run()
      }
      block += 1
      start += keys.count
    }
  }

  private func runs() throws -> [Int64] {
    try Int64.fetchAll(db, sql: "SELECT DISTINCT run FROM event_key ORDER BY run")
  }
}
