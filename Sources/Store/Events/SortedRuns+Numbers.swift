internal import GRDB
internal import Ingest

extension SortedRuns {
  /// The number of events of a store from which on other threads decode its blocks.
  private static let manyEvents = 200_000

  /// Calls `body` with a few columns of each block of a store, run by run.
  ///
  /// - Parameters:
  ///   - columns: The columns that `read` may read; `nil` for all.
  ///   - read: Reads the columns of a block; returns whether `body` is called with them.
  static func forEachNumbers(
    _ db: Database, of columns: Set<EventBlock.Column>? = BlockNumbers.columns,
    read: @escaping @Sendable (inout BlockNumbers, BlockView) throws -> Bool,
    _ body: (borrowing BlockNumbers) throws -> Void
  ) throws {
    let entries = try StoredEntries(db)
    let events = try Int.fetchOne(db, sql: "SELECT SUM(events) FROM main.event_run") ?? 0
    // Filled again, as freeing memory on a thread other than the one that allocated it is slow.
    var unused: [BlockPortion] = []
    try OrderedWork.run(
      aside: events >= manyEvents,
      read: { put in
        var portion = BlockPortion()
        for run in try cursors(db, columns: columns, requiresEntries: false) {
          while try run.next(from: 0) {
            portion.append(run.view)
            if !portion.isFull { continue }
            try put(portion)
            portion = unused.popLast() ?? BlockPortion()
          }
        }
        try put(portion)
      },
      worker: {
        { (portion: BlockPortion) in
          try portion.decode(read)
          return portion
        }
      },
      take: { portion in
        for place in portion.wanted {
          try entries.require(portion.numbers[place].greatest)
          try body(portion.numbers[place])
        }
        portion.removeAll()
        unused.append(portion)
      })
  }
}
