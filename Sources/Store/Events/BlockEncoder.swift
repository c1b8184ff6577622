/// Makes blocks of events that come in the order of user and time.
struct BlockEncoder {
  private var pending = EventRows()

  /// Adds an event; a block that is full goes to `write`.
  @inline(__always)
  mutating func append(
    _ row: EventRow, text: UnsafeRawBufferPointer, write: (EventBlock) throws -> Void
  ) throws {
    pending.append(row, text: text)
    if pending.rows.count == EventBlock.limit { try flush(write) }
  }

  /// Hands over the block of the events that are left.
  mutating func flush(_ write: (EventBlock) throws -> Void) throws {
    if pending.rows.isEmpty { return }
    let block = pending.rows.withUnsafeBufferPointer { rows in
      pending.text.withUnsafeBytes { EventBlock(rows, text: $0) }
    }
    pending.removeAll()
    try write(block)
  }
}
