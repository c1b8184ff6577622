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
    var subscriptionID: String?
    var transactionID: String?
    /// `expires_at`, `trial_ends_at` and `grace_ends_at`.
    var ends: [Int64?]
    var previousUser: Int32?
    var segment: Int64 = 0

    init(_ batch: EventBatch, _ record: EventRecord, _ resolved: ResolvedBatch) {
      ts = record.ts
      kind = Int64(record.kind.rawValue)
      eventID = batch.string(record.eventID)
      receivedAfter = record.receivedAt.map { $0 - record.ts }
      entries = [
        resolved.clients[Int(record.client)], resolved.contexts[Int(record.context)],
        resolved.terms[Int(record.terms)], resolved.properties[Int(record.properties)],
      ]
      subscriptionID = record.subscriptionID.length == 0 ? nil : batch.string(record.subscriptionID)
      transactionID = record.transactionID.length == 0 ? nil : batch.string(record.transactionID)
      ends = [record.expiresAt, record.trialEndsAt, record.graceEndsAt]
      previousUser = record.previousUser.map { resolved.users[Int($0)] }
    }

    fileprivate init(_ row: SQLiteStatement, like other: Row, segment: Int64) {
      ts = other.ts
      kind = other.kind
      eventID = other.eventID
      receivedAfter = row.optionalInt64(0)
      entries = [row.int32(1), row.int32(2), row.int32(3), row.int32(4)]
      subscriptionID = row.coded(5)
      transactionID = row.coded(6)
      ends = [row.optionalInt64(7), row.optionalInt64(8), row.optionalInt64(9)]
      previousUser = row.optionalInt64(10).map { Int32($0) }
      self.segment = segment
    }

    /// Whether both say the same, however they were received.
    func hasContent(of other: Row) -> Bool {
      var (left, right) = (self, other)
      left.receivedAfter = nil
      right.receivedAfter = nil
      left.segment = 0
      right.segment = 0
      return left == right
    }
  }

  private let segments: Segments
  private let select: SQLiteStatement
  private let receive: SQLiteStatement
  private let delete: SQLiteStatement

  init(_ db: Database, segments: Segments) throws {
    self.segments = segments
    let key = "segment = ?1 AND user = ?2 AND ts = ?3 AND kind = ?4 AND event_id = ?5"
    select = try SQLiteStatement(
      db,
      """
      SELECT received_after, client, context, terms, properties, subscription_id, transaction_id, expires_at,
        trial_ends_at, grace_ends_at, previous_user
      FROM event WHERE \(key)
      """)
    receive = try SQLiteStatement(db, "UPDATE event SET received_after = ?6 WHERE \(key)")
    delete = try SQLiteStatement(db, "DELETE FROM event WHERE \(key)")
  }

  /// The stored event with the user, instant, kind and id of another; `nil` when there is none.
  func find(_ row: Row, user: Int32) throws -> Row? {
    // The youngest runs first: repeated deliveries follow one another closely.
    for segment in segments.ids.reversed() {
      bind(select, segment, user, ts: row.ts, kind: row.kind, eventID: row.eventID)
      defer { select.reset() }
      if try select.step() { return Row(select, like: row, segment: segment) }
    }
    return nil
  }

  func setReception(_ row: Row, user: Int32, segment: Int64) throws {
    bind(receive, segment, user, ts: row.ts, kind: row.kind, eventID: row.eventID)
    receive.bind(6, row.receivedAfter)
    try receive.run()
  }

  func remove(user: Int32, ts: Int64, kind: Int64, eventID: String) throws {
    for segment in segments.ids {
      bind(delete, segment, user, ts: ts, kind: kind, eventID: eventID)
      try delete.run()
    }
  }

  private func bind(
    _ statement: SQLiteStatement, _ segment: Int64, _ user: Int32, ts: Int64, kind: Int64, eventID: String
  ) {
    statement.bind(1, segment)
    statement.bind(2, user)
    statement.bind(3, ts)
    statement.bind(4, kind)
    statement.bindCoded(5, eventID)
  }
}
