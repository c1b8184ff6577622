internal import GRDB

/// Finds single events in the runs of the store and of the open commit, and changes or removes them.
final class EventFinder {
  enum Location {
    case block(Block, place: Int)
    case loose(index: Int)
  }

  /// A block of the store or of the spill file.
  struct Block: Hashable {
    var isOfStore: Bool
    var key: Int64
  }

  private let db: Database
  private let runs: SortedRuns
  private let spillFile: SpillFile
  /// Events of the open commit that are not in a run yet, such as those whose content replaced another.
  private(set) var loose = EventRows()
  /// Whether the open commit has changed blocks of the store.
  private(set) var hasChangedStore = false

  private var storeCursors: [TableCursor] = []
  private var storeRuns: [Int64] = []

  init(_ db: Database, runs: SortedRuns, spillFile: SpillFile) {
    self.db = db
    self.runs = runs
    self.spillFile = spillFile
  }

  /// Calls `body` with each event of some users.
  ///
  /// - Parameter users: In ascending order.
  func visit(
    _ users: [Int32], _ body: (_ rows: EventRows, _ index: Int, _ location: Location) throws -> Void
  ) throws {
    guard let first = users.first else { return }
    for cursor in try cursors() {
      let isOfStore = cursor is TableCursor
      let events = try UserCursor(cursor, isDense: false, from: first)
      for user in users {
        try events.advance(to: user)
        if events.user == .max { break }
        guard events.user == user else { continue }
        try events.visit { rows, index, key, place in
          try body(rows, index, .block(Block(isOfStore: isOfStore, key: key), place: place))
        }
      }
    }
    if loose.rows.isEmpty { return }
    let wanted = Set(users)
    for index in loose.rows.indices where wanted.contains(loose.rows[index].user) {
      try body(loose, index, .loose(index: index))
    }
  }

  /// Returns the blocks of each run, of the store and of the open commit.
  func cursors() throws -> [any BlockCursor] {
    if storeRuns != runs.ids {
      storeRuns = runs.ids
      let entries = try StoredEntries(db)
      storeCursors = try storeRuns.map { try TableCursor(db, run: $0, entries: entries) }
    }
    for cursor in storeCursors { cursor.rewind() }
    return storeCursors + spillFile.cursors
  }

  /// Adds an event that is not in a run yet.
  func add(_ row: EventRow, text: UnsafeRawBufferPointer) { loose.append(row, text: text) }

  /// Returns the events that are not in a run yet, in order, and clears them.
  func takeLoose() -> EventRows {
    defer { loose.removeAll() }
    loose.sort()
    return loose
  }

  /// Removes an event, which invalidates all other locations in its block.
  func remove(_ location: Location) throws {
    switch location {
    case .loose(let index): loose.rows.remove(at: index)
    case .block(let block, let place): try change(block) { $0.rows.remove(at: place) }
    }
  }

  /// Sets the times of receipt of events; locations stay valid.
  func setReceptions(_ receptions: [(location: Location, receivedAfter: Int64)]) throws {
    var changes: [Block: [(place: Int, receivedAfter: Int64)]] = [:]
    for (location, receivedAfter) in receptions {
      switch location {
      case .loose(let index): loose.rows[index].receivedAfter = receivedAfter
      case .block(let block, let place): changes[block, default: []].append((place, receivedAfter))
      }
    }
    for (block, changes) in changes {
      try change(block) { rows in
        for change in changes { rows.rows[change.place].receivedAfter = change.receivedAfter }
      }
    }
  }

  private func change(_ block: Block, _ body: (inout EventRows) -> Void) throws {
    if !block.isOfStore { return try spillFile.change(key: block.key, body) }
    hasChangedStore = true
    try runs.change(key: block.key) { rows in
      body(&rows)
      return true
    }
  }

  /// Records that other code has changed blocks of the store.
  func noteChangedStore() { hasChangedStore = true }

  /// Records that the commit is complete.
  func endCommit() {
    hasChangedStore = false
    // A cursor that has not reached its end would keep SQLite from checkpointing the log into the store.
    storeCursors = []
    storeRuns = []
  }
}
