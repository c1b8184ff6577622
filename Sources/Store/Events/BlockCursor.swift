internal import GRDB

/// Moves through the blocks of one run, in order.
protocol BlockCursor: AnyObject {
  /// The block at the cursor; its bytes are valid until the next move.
  var view: BlockView { get }
  /// The key of the block, by which ``BlockTable`` or ``SpillFile`` replaces it.
  var key: Int64 { get }
  /// Moves to the next block that may have events of users from `user` on; returns `false` if there is none.
  func next(from user: Int32) throws -> Bool
  /// Moves to before the first block.
  func rewind()
}

extension BlockCursor {
  func forEachBlock(_ body: (EventRows) throws -> Void) throws {
    var rows = EventRows()
    while try next(from: 0) {
      rows.removeAll()
      try view.decode(0..<view.eventCount, into: &rows)
      try body(rows)
    }
  }
}

/// The blocks of a run in the store.
final class TableCursor: BlockCursor {
  private let statement: SQLiteStatement
  private let range: ClosedRange<Int64>
  private var isAtStart = true
  private(set) var view = BlockView()
  private(set) var key = Int64.min

  /// - Parameters:
  ///   - columns: The columns to read; the others seem to be empty. `nil` for all.
  ///   - entries: The entries that events may refer to; `nil` where that is checked afterwards.
  init(_ db: Database, run: Int64, columns: Set<EventBlock.Column>? = nil, entries: StoredEntries? = nil) throws {
    statement = try SQLiteStatement(db, "\(BlockTable.selectSQL(of: columns)) WHERE id BETWEEN ? AND ? ORDER BY id")
    view.entries = entries
    range = BlockKey.range(run: run)
  }

  func next(from user: Int32) throws -> Bool {
    // Stepping over a few blocks is cheaper than a seek.
    for _ in 0..<(isAtStart ? 0 : 4) {
      guard try statement.step() else { return false }
      if BlockKey.lastUser(of: statement.int64(0)) >= user { return try show() }
    }
    statement.reset()
    let first = BlockKey.first(run: BlockKey.run(of: range.lowerBound), user: user)
    statement.bind(all: isAtStart ? first : max(first, key + 1), range.upperBound)
    isAtStart = false
    return try statement.step() ? try show() : false
  }

  func rewind() {
    isAtStart = true
    key = .min
  }

  private func show() throws -> Bool {
    let before = key
    key = statement.int64(0)
    // Pages that have changed places give rows out of order.
    guard range.contains(key), key > before else { throw BlockView.malformed }
    statement.show(in: &view)
    guard view.header.events == view.eventCount, view.eventCount > 0 else { throw BlockView.malformed }
    return true
  }
}
