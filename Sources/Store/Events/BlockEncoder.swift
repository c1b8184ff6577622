/// Makes blocks of events that come in the order of user and time.
struct BlockEncoder {
  private var pending = EventRows()

  /// Adds an event; returns the block that is full with it.
  @inline(__always)
  mutating func append(_ row: EventRow, text: UnsafeRawBufferPointer) -> EventBlock? {
    pending.append(row, text: text)
    return pending.rows.count == EventBlock.limit ? flush() : nil
  }

  /// The block of the events that are left.
  mutating func flush() -> EventBlock? {
    if pending.rows.isEmpty { return nil }
    let block = pending.rows.withUnsafeBufferPointer { rows in
      pending.text.withUnsafeBytes { EventBlock(rows, text: $0) }
    }
    pending.removeAll()
    return block
  }
}
