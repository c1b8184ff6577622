internal import Ingest

/// Decodes the blocks of a run on a thread of its own, some before they are asked for, without files and times of receipt.
final class BlocksAhead {
  /// The number of portions that have been read and not been taken.
  private static let capacity = 3

  private let blocks: any BlockCursor
  private let input = BatchQueue<BlockPortion>(capacity: capacity)
  private let output: BatchQueue<BlockPortion>
  /// The portions that are in the queues.
  private var waiting = 0
  private var isAtEnd = false
  private var portion = BlockPortion()
  /// The next block of the portion.
  private var place = 0
  /// Filled again, as freeing memory on a thread other than the one that allocated it is slow.
  private var unused: [BlockPortion] = []

  /// - Parameter blocks: Moved by this alone.
  init(_ blocks: any BlockCursor) {
    self.blocks = blocks
    let input = input
    output = .filled(capacity: Self.capacity, thread: "decode") { put in
      while let portion = try input.take() {
        try portion.decode { numbers, view in
          try numbers.readEvents(view, withArrival: false)
          return true
        }
        try put(portion)
      }
    }
  }

  deinit {
    input.finish(.success(()))
    input.cancel()
    output.cancel()
  }

  /// Replaces rows with the events of the next block that may have some of users from `user` on.
  ///
  /// - Returns: `false` if there is none.
  func next(from user: Int32, into rows: inout EventRows) throws -> Bool {
    if place == portion.count {
      try fill(from: user)
      guard waiting > 0, let next = try output.take() else { return false }
      waiting -= 1
      portion.removeAll()
      unused.append(portion)
      (portion, place) = (next, 0)
    }
    try blocks.view.entries?.require(portion.numbers[place].greatest)
    swap(&portion.numbers[place].events, &rows)
    place += 1
    return true
  }

  private func fill(from user: Int32) throws {
    while waiting < Self.capacity, !isAtEnd {
      let portion = unused.popLast() ?? BlockPortion()
      while !portion.isFull, !isAtEnd {
        if try blocks.next(from: user) { portion.append(blocks.view) } else { isAtEnd = true }
      }
      if portion.count == 0 { return }
      try input.put(portion)
      waiting += 1
    }
  }
}
