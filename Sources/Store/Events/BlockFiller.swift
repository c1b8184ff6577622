/// Groups events, which arrive in the order of user and time, into full blocks.
struct BlockFiller {
  private var pending = EventRows()

  /// Adds an event; returns the block if the event fills it.
  @inline(__always)
  mutating func append(_ row: EventRow, text: UnsafeRawBufferPointer) -> EventBlock? {
    pending.append(row, text: text)
    return pending.rows.count == EventBlock.limit ? flush() : nil
  }

  /// Adds events and calls `body` with each block that they fill.
  mutating func append(_ events: borrowing EventRows, full body: (EventBlock) throws -> Void) rethrows {
    var start = 0
    while start < events.rows.count {
      let end = min(events.rows.count, start + EventBlock.limit - pending.rows.count)
      pending.append(contentsOf: events, start..<end)
      start = end
      if pending.rows.count == EventBlock.limit, let full = flush() { try body(full) }
    }
  }

  /// Returns the block of the remaining events; `nil` if there are none.
  mutating func flush() -> EventBlock? {
    if pending.rows.isEmpty { return nil }
    var flushed = EventRows()
    flushed.rows.reserveCapacity(EventBlock.limit)
    swap(&flushed, &pending)
    return EventBlock(flushed)
  }
}
