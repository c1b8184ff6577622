import GRDBSQLite

/// The decoded events of a block as a table for SQLite, with the columns of the view `event_row`.
///
/// The view has to walk through the block's text for each number; a query that reads every event is faster if each
/// block is decoded once.
final class EventPage: VirtualRows {
  /// The columns, which are those of `event_row`.
  private enum Column: Int, CaseIterable {
    case user, ts, kind, event_id, file, received_after, client, context, terms, properties, subscription_id
    case transaction_id, expires_after, trial_ends_after, grace_ends_after, started_after, previous_user
  }

  @exclusivity(unchecked) private var events = EventRows()

  init() { super.init(columns: Column.allCases.map { "\($0)" }) }

  /// Replaces the events with those of a block.
  func load(_ view: BlockView) throws {
    events.removeAll()
    try view.decode(0..<view.eventCount, into: &events)
  }

  override var count: Int { events.rows.count }

  override func give(row: Int, column: Int, to context: OpaquePointer?) {
    let event = events.rows[row]
    @inline(__always)
    func give(_ number: Int64, unless absent: Int64 = EventRow.absent, after start: Int64 = 0) {
      if number == absent { sqlite3_result_null(context) } else { sqlite3_result_int64(context, number - start) }
    }
    switch Column(rawValue: column) {
    case .user: give(Int64(event.user))
    case .ts: give(event.ts)
    case .kind: give(Int64(event.kind.rawValue))
    case .event_id: giveID(event.eventID, to: context)
    case .file: give(Int64(event.file))
    case .received_after: give(event.receivedAfter)
    case .client: give(Int64(event.client))
    case .context: give(Int64(event.context))
    case .terms: give(Int64(event.terms))
    case .properties: give(Int64(event.properties))
    case .subscription_id: giveID(event.subscriptionID, to: context)
    case .transaction_id: giveID(event.transactionID, to: context)
    case .expires_after: give(event.expiresAt, after: event.ts)
    case .trial_ends_after: give(event.trialEndsAt, after: event.ts)
    case .grace_ends_after: give(event.graceEndsAt, after: event.ts)
    case .started_after: give(event.startedAt, after: event.ts)
    case .previous_user: give(Int64(event.previousUser), unless: 0)
    case nil: sqlite3_result_null(context)
    }
  }

  private func giveID(_ id: RowID, to context: OpaquePointer?) {
    if id.form == .absent { return sqlite3_result_null(context) }
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    events.text.withUnsafeBytes { text in
      id.text(in: text).withUnsafeBytes { bytes in
        sqlite3_result_text(
          context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), transient)
      }
    }
  }
}
