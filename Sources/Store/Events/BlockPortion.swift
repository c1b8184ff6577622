/// Copies of encoded blocks, and what is decoded of them; one thread uses them at a time.
final class BlockPortion: @unchecked Sendable {
  private var blocks: [(header: EventBlock.Header, textColumns: Int)] = []
  private var bytes: [UInt8] = []
  /// The end of each column in `bytes`, block by block.
  private var ends: [Int] = []
  /// By block; more than there are blocks where earlier ones were decoded.
  var numbers: [BlockNumbers] = []
  private(set) var wanted: [Int] = []

  /// The number of blocks that are handed on together.
  private static let blocks = 16

  var count: Int { blocks.count }
  var isFull: Bool { count >= Self.blocks }

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
