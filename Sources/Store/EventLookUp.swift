internal import EventModel
internal import GRDB

/// Finds single events in the runs of the event table, by a seek in each.
final class EventLookUp {
  /// An event as the table has it.
  struct Row: Equatable {
    var ts: Int64
    var kind: Int64
    var eventID: String
    /// `received_at` − `ts`.
    var receivedAfter: Int64?
    /// Client, context, terms and properties.
    var entries: [Int32]
    /// As bytes: Swift takes texts that read the same for equal.
    var subscriptionID: [UInt8]
    var transactionID: [UInt8]
    /// `expires_at`, `trial_ends_at` and `grace_ends_at`.
    var ends: [Int64?]
    var previousUser: Int32?
    /// The key of a stored one.
    var id: Int64 = 0

    init(_ batch: EventBatch, _ record: EventRecord, _ resolved: ResolvedBatch) {
      ts = record.ts
      kind = Int64(record.kind.rawValue)
      eventID = batch.string(record.eventID)
      receivedAfter = record.receivedAt.map { $0 - record.ts }
      entries = [
        resolved.clients[Int(record.client)], resolved.contexts[Int(record.context)],
        resolved.terms[Int(record.terms)], resolved.properties[Int(record.properties)],
      ]
      subscriptionID = Array(batch.string(record.subscriptionID).utf8)
      transactionID = Array(batch.string(record.transactionID).utf8)
      ends = [record.expiresAt, record.trialEndsAt, record.graceEndsAt]
      previousUser = record.previousUser.map { resolved.users[Int($0)] }
    }

    fileprivate init(_ row: SQLiteStatement, like other: Row) {
      ts = other.ts
      kind = other.kind
      eventID = other.eventID
      receivedAfter = row.optionalInt64(0)
      entries = [row.int32(1), row.int32(2), row.int32(3), row.int32(4)]
      subscriptionID = Array((row.coded(5) ?? "").utf8)
      transactionID = Array((row.coded(6) ?? "").utf8)
      ends = [row.optionalInt64(7), row.optionalInt64(8), row.optionalInt64(9)]
      previousUser = row.optionalInt64(10).map { Int32($0) }
      id = row.int64(11)
    }

    /// Whether both say the same, however they were received.
    func hasContent(of other: Row) -> Bool {
      var (left, right) = (self, other)
      left.receivedAfter = nil
      right.receivedAfter = nil
      left.id = 0
      right.id = 0
      return left == right
    }
  }

  let segments: Segments
  private let select: SQLiteStatement
  private let receive: SQLiteStatement
  private let delete: SQLiteStatement
  private let last: SQLiteStatement

  init(_ db: Database, segments: Segments) throws {
    self.segments = segments
    select = try SQLiteStatement(
      db,
      """
      SELECT received_after, client, context, terms, properties, subscription_id, transaction_id, expires_at,
        trial_ends_at, grace_ends_at, previous_user, id
      FROM event WHERE id BETWEEN ?1 AND ?2 AND ts = ?3 AND kind = ?4 AND event_id = ?5
      """)
    receive = try SQLiteStatement(db, "UPDATE event SET received_after = ?2 WHERE id = ?1")
    delete = try SQLiteStatement(db, "DELETE FROM event WHERE id = ?")
    last = try SQLiteStatement(db, "SELECT MAX(id) FROM event WHERE id BETWEEN ? AND ?")
  }

  /// The stored event with the user, instant, kind and id of another; `nil` when there is none.
  func find(_ row: Row, user: Int32) throws -> Row? {
    // The youngest runs first: repeated deliveries follow one another closely.
    for segment in segments.ids.reversed() {
      let range = EventRowID.range(segment: segment, user: user)
      select.bind(1, range.lowerBound)
      select.bind(2, range.upperBound)
      select.bind(3, row.ts)
      select.bind(4, row.kind)
      select.bindCoded(5, row.eventID)
      defer { select.reset() }
      if try select.step() { return Row(select, like: row) }
    }
    return nil
  }

  /// A key for one more event of a user, in the youngest run: single events make no run of their own.
  func freeRowID(ofUser user: Int32) throws -> Int64 {
    if segments.ids.isEmpty { _ = try segments.add(events: 0) }
    for segment in segments.ids.reversed() {
      let range = EventRowID.range(segment: segment, user: user)
      last.bind(1, range.lowerBound)
      last.bind(2, range.upperBound)
      defer { last.reset() }
      guard try last.step(), !last.isNull(0) else { return range.lowerBound }
      if last.int64(0) < range.upperBound { return last.int64(0) + 1 }
    }
    return EventRowID.first(segment: try segments.add(events: 0), user: user)
  }

  func setReception(_ receivedAfter: Int64?, of id: Int64) throws {
    receive.bind(1, id)
    receive.bind(2, receivedAfter)
    try receive.run()
  }

  func remove(_ id: Int64) throws {
    delete.bind(1, id)
    try delete.run()
  }
}
