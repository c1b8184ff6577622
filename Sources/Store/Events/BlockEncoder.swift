/// Makes blocks of events that come in the order of user and time.
struct BlockEncoder {
  private var pending = EventRows()

  /// Adds an event; returns the block that is full with it.
  @inline(__always)
  mutating func append(_ row: EventRow, text: UnsafeRawBufferPointer) -> EventBlock? {
    pending.append(row, text: text)
    return pending.rows.count == EventBlock.limit ? flush() : nil
  }

  /// Adds events; each block that is full goes to `write`.
  @inline(__always)
  mutating func append(_ events: borrowing EventRows, write: (EventBlock) throws -> Void) rethrows {
    try events.text.withUnsafeBytes { text in
      for place in 0..<events.rows.count { if let block = append(events.rows[place], text: text) { try write(block) } }
    }
  }

  /// The block of the events that are left.
  mutating func flush() -> EventBlock? {
    if pending.rows.isEmpty { return nil }
    let block = EventBlock(pending)
    pending.removeAll()
    return block
  }
}
