/// Cuts events, which come in the order of user and time, into the events of blocks.
struct BlockFiller {
  private var pending = EventRows()

  /// Adds an event; returns the events of a block that is full with it.
  @inline(__always)
  mutating func append(_ row: EventRow, text: UnsafeRawBufferPointer) -> EventRows? {
    pending.append(row, text: text)
    return pending.rows.count == EventBlock.limit ? flush() : nil
  }

  /// Adds events; those of each block that is full go to `body`.
  mutating func append(_ events: borrowing EventRows, full body: (EventRows) throws -> Void) rethrows {
    var start = 0
    while start < events.rows.count {
      let end = min(events.rows.count, start + EventBlock.limit - pending.rows.count)
      pending.append(contentsOf: events, start..<end)
      start = end
      if pending.rows.count == EventBlock.limit, let full = flush() { try body(full) }
    }
  }

  /// The events that are left.
  mutating func flush() -> EventRows? {
    if pending.rows.isEmpty { return nil }
    var flushed = EventRows()
    flushed.rows.reserveCapacity(EventBlock.limit)
    swap(&flushed, &pending)
    return flushed
  }
}
