internal import GRDB
internal import Ingest

extension SortedRuns {
  /// The number of events of a store from which on other threads decode its blocks.
  private static let manyEvents = 200_000
  /// The number of blocks that are handed on together.
  private static let portion = 16

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
            if portion.count < Self.portion { continue }
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

/// Copies of encoded blocks, and what is decoded of them; one thread uses them at a time.
private final class BlockPortion: @unchecked Sendable {
  private var blocks: [(header: EventBlock.Header, textColumns: Int)] = []
  private var bytes: [UInt8] = []
  /// The end of each column in `bytes`, block by block.
  private var ends: [Int] = []
  /// By block; more than there are blocks where earlier ones were decoded.
  private(set) var numbers: [BlockNumbers] = []
  private(set) var wanted: [Int] = []

  var count: Int { blocks.count }

  func append(_ view: BlockView) {
    blocks.append((view.header, view.textColumns))
    for column in view.columns {
      bytes.append(contentsOf: column)
      ends.append(bytes.count)
    }
  }

  func decode(_ read: (inout BlockNumbers, BlockView) throws -> Bool) throws {
    try bytes.withUnsafeBytes { bytes in
      var view = BlockView()
      var (first, next) = (0, 0)
      for place in blocks.indices {
        (view.header, view.textColumns) = blocks[place]
        for column in view.columns.indices {
          view.columns[column] = UnsafeRawBufferPointer(rebasing: bytes[first..<ends[next]])
          (first, next) = (ends[next], next + 1)
        }
        if place == numbers.count { numbers.append(BlockNumbers()) }
        if try read(&numbers[place], view) { wanted.append(place) }
      }
    }
  }

  func removeAll() {
    blocks.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    wanted.removeAll(keepingCapacity: true)
  }
}
