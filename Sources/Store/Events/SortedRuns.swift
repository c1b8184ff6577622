internal import GRDB

/// The sorted runs of blocks that hold the store's events.
///
/// Each commit stores its events as a run of its own, sorted by user, so that writing only appends; a person's events
/// are found by a seek in each run. Eight runs of similar size are merged into a larger one. That keeps the number of
/// runs low and rewrites an event once each time the store grows eightfold.
final class SortedRuns {
  private static let fanOut = 8
  /// The size classes: runs with fewer events than the first number are of one class, those below the next number of
  /// the next, and so on.
  private static let sizes = [131_072, 1_048_576, 8_388_608, 67_108_864, 536_870_912]

  private let db: Database
  private(set) var ids: [Int64]
  private var nextID: Int64
  private let writer: BlockTable.Writer
  private let select: SQLiteStatement

  init(_ db: Database) throws {
    self.db = db
    select = try SQLiteStatement(db, "\(BlockTable.selectSQL()) WHERE id = ?")
    ids = try Self.ids(db)
    nextID = (ids.last ?? 0) + 1
    writer = try BlockTable.Writer(db)
  }

  /// Returns the runs of a store, oldest first.
  static func ids(_ db: Database) throws -> [Int64] {
    let ids = try Int64.fetchAll(db, sql: "SELECT id FROM event_run ORDER BY id")
    guard ids.allSatisfy((0..<BlockKey.runs).contains) else { throw StoredDamage.error("event_run is malformed") }
    return ids
  }

  /// Returns a cursor over the blocks of each run of a store.
  ///
  /// - Parameters:
  ///   - columns: See ``TableCursor/init(_:run:columns:entries:)``.
  ///   - requiresEntries: Whether events that point to no entry of a dictionary are an error.
  /// - Throws: ``StoreError/hasNoEvents`` where the store has facts alone.
  static func cursors(
    _ db: Database, columns: Set<EventBlock.Column>? = nil, requiresEntries: Bool = true
  ) throws -> [TableCursor] {
    if try FactsElsewhere.options(db) != nil { throw StoreError.hasNoEvents }
    let entries = try requiresEntries ? StoredEntries(db) : nil
    return try ids(db).map { try TableCursor(db, run: $0, columns: columns, entries: entries) }
  }

  /// Calls `body` with each event of a store and the text that its ids refer to, run after run.
  @inline(__always)
  static func forEachRow(
    _ db: Database, requiresEntries: Bool = true, _ body: (EventRow, _ text: UnsafeRawBufferPointer) throws -> Void
  ) throws {
    for run in try cursors(db, requiresEntries: requiresEntries) {
      try run.forEachBlock { events in
        try events.text.withUnsafeBytes { text in
          for row in events.rows { try body(row, text) }
        }
      }
    }
  }

  /// Calls `body` with each encoded block of a store, run by run.
  static func forEachView(_ db: Database, _ body: (BlockView) throws -> Void) throws {
    for run in try cursors(db) {
      while try run.next(from: 0) { try body(run.view) }
    }
  }

  /// Starts a run, which belongs to the store once it has ended.
  func begin() throws -> RunWriter {
    if nextID >= BlockKey.runs { nextID = try leastFreeID() }
    defer { nextID += 1 }
    return RunWriter(run: nextID, writer: writer)
  }

  /// Returns the least number not in use; called when the last number has been assigned.
  private func leastFreeID() throws -> Int64 {
    var free: Int64 = 1
    for id in ids where id == free { free += 1 }
    guard free < BlockKey.runs else { preconditionFailure("the store has too many runs") }
    return free
  }

  func end(_ run: RunWriter) throws {
    try run.finish()
    if run.events == 0 { return }
    try db.execute(sql: "INSERT INTO event_run VALUES (?, ?)", arguments: [run.run, run.events])
    ids.append(run.run)
    ids.sort()
  }

  /// Merges runs of one size class if there are enough of them.
  func mergeSmall() throws {
    var least = 0
    for size in Self.sizes {
      let small = try Int64.fetchAll(
        db, sql: "SELECT id FROM event_run WHERE events >= ? AND events < ? ORDER BY id", arguments: [least, size])
      least = size
      if small.count >= Self.fanOut { try merge(small) }
    }
  }

  private func merge(_ runs: [Int64]) throws {
    let merged = try begin()
    let cursors = try runs.map { try UserCursor(TableCursor(db, run: $0), isDense: true) }
    var group = EventRows()
    while let user = cursors.map(\.user).min(), user != .max {
      group.removeAll()
      for cursor in cursors {
        while cursor.user == user && group.rows.count < UserParts.most { try cursor.takeBlock(into: &group) }
      }
      let left = cursors.filter { $0.user == user }
      if left.isEmpty {
        group.sort()
        try merged.append(group)
      } else {
        var parts = UserParts(user, group, new: [], old: left)
        try parts.forEach(newEvents: { _ in }) { _, rows, _ in try merged.append(rows) }
      }
    }
    for run in runs {
      let range = BlockKey.range(run: run)
      try db.execute(
        sql: "DELETE FROM event_block WHERE id BETWEEN ? AND ?", arguments: [range.lowerBound, range.upperBound])
      try db.execute(sql: "DELETE FROM event_run WHERE id = ?", arguments: [run])
    }
    try end(merged)
    ids = try Self.ids(db)
  }
}

extension SortedRuns {
  /// Decodes a block and writes it back if `body` changes its events.
  ///
  /// - Parameter body: Returns whether it has changed them.
  func change(key: Int64, _ body: (inout EventRows) throws -> Bool) throws {
    select.bind(1, key)
    defer { select.reset() }
    guard try select.step() else { throw BlockView.malformed }
    var view = BlockView()
    select.show(in: &view)
    var rows = EventRows()
    try view.decode(0..<view.eventCount, into: &rows)
    guard try body(&rows) else { return }
    if rows.rows.isEmpty { try writer.remove(key: key) } else { try writer.replace(EventBlock(rows), key: key) }
  }

  /// Removes events from the stored blocks; the spill file is not searched.
  func remove(
    where isGone: (EventRows, _ place: Int) -> Bool, _ removed: (EventRows, _ place: Int) throws -> Void
  ) throws {
    for run in ids {
      let range = BlockKey.range(run: run)
      // The keys are read first because blocks must not change during a walk through the table.
      let keys = try Int64.fetchAll(
        db, sql: "SELECT id FROM event_block WHERE id BETWEEN ? AND ? ORDER BY id",
        arguments: [range.lowerBound, range.upperBound])
      var left = 0
      for key in keys {
        try change(key: key) { rows in
          let gone = rows.rows.indices.filter { isGone(rows, $0) }
          left += rows.rows.count - gone.count
          for place in gone { try removed(rows, place) }
          for place in gone.reversed() { rows.rows.remove(at: place) }
          return !gone.isEmpty
        }
      }
      try db.execute(
        sql: left == 0 ? "DELETE FROM event_run WHERE id = ?" : "UPDATE event_run SET events = ?2 WHERE id = ?1",
        arguments: left == 0 ? [run] : [run, left])
    }
    ids = try Self.ids(db)
  }
}

/// Writes one run of the store from events in the order of user and time.
final class RunWriter {
  let run: Int64
  private let writer: BlockTable.Writer
  private var filler = BlockFiller()
  private var lastKey: Int64?
  private(set) var events = 0

  init(run: Int64, writer: BlockTable.Writer) {
    self.run = run
    self.writer = writer
  }

  func append(_ rows: EventRows) throws {
    try filler.append(rows, full: write)
  }

  /// Stores a block that comes after all previous events.
  func write(_ block: EventBlock) throws {
    let key = BlockKey.next(after: lastKey, run: run, lastUser: block.lastUser)
    try writer.insert(block, key: key)
    lastKey = key
    events += Int(block.header.events)
  }

  fileprivate func finish() throws { if let rest = filler.flush() { try write(rest) } }
}
