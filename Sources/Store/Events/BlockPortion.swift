internal import Ingest

/// Copies of encoded blocks, and what is decoded of them; one thread uses them at a time.
final class BlockPortion: @unchecked Sendable {
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

  /// Swaps the whole events of a block for others.
  func swapEvents(_ rows: inout EventRows, at place: Int) { numbers[place].swapEvents(&rows) }

  func removeAll() {
    blocks.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    wanted.removeAll(keepingCapacity: true)
  }
}

/// The events of one run's blocks, decoded on a thread of its own before their turn.
final class DecodedAhead {
  /// The number of blocks that are handed on together.
  private static let portion = 4
  /// The number of portions that are read ahead.
  private static let capacity = 3

  private let blocks: TableCursor
  private let entries: StoredEntries
  private let input = BatchQueue<BlockPortion>(capacity: DecodedAhead.capacity)
  private let output: BatchQueue<BlockPortion>
  private var current = BlockPortion()
  private var place = 0
  /// The number of portions that have been read and not been taken.
  private var waiting = 0
  private var isAtEnd = false
  private var unused: [BlockPortion] = []

  /// - Parameters:
  ///   - withArrival: See ``BlockView/decode(_:into:withArrival:)``.
  ///   - user: Blocks of earlier users alone may be left out.
  init(_ blocks: TableCursor, _ entries: StoredEntries, withArrival: Bool, from user: Int32) throws {
    (self.blocks, self.entries) = (blocks, entries)
    output = BatchQueue.filled(capacity: Self.capacity, thread: "decode") { [input] put in
      while let portion = try input.take() {
        try portion.decode {
          try $0.readEvents($1, withArrival: withArrival)
          return true
        }
        try put(portion)
      }
    }
    try read(from: user)
  }

  deinit {
    input.cancel()
    input.finish(.success(()))
    output.cancel()
    output.join()
  }

  /// Replaces rows with the events of the next block; returns `false` at the end.
  func next(into rows: inout EventRows) throws -> Bool {
    if place == current.count {
      guard let decoded = try waiting > 0 ? output.take() : nil else { return false }
      waiting -= 1
      current.removeAll()
      unused.append(current)
      (current, place) = (decoded, 0)
      try read(from: 0)
    }
    try entries.require(current.numbers[place].greatest)
    current.swapEvents(&rows, at: place)
    place += 1
    return true
  }

  private func read(from user: Int32) throws {
    while waiting < Self.capacity, !isAtEnd {
      let portion = unused.popLast() ?? BlockPortion()
      while portion.count < Self.portion, !isAtEnd {
        if try blocks.next(from: user) { portion.append(blocks.view) } else { isAtEnd = true }
      }
      if portion.count == 0 { return }
      try input.put(portion)
      waiting += 1
    }
  }
}
