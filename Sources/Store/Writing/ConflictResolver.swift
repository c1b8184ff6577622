internal import EventModel
internal import GRDB
internal import Ingest

/// Decides which of several contents of one event id stays (events.md, "Duplicates and conflicts"). The result does not
/// depend on the order of arrival; all other contents are in quarantine.
final class ConflictResolver {
  /// The classification of a line.
  enum Line: Equatable {
    /// The id is new after all.
    case newEvent
    /// The content contradicts the known contents of its id.
    case newContent
    /// The content is known, in the store or in quarantine.
    case duplicate
  }

  /// The changes that follow from a decision.
  struct Outcome {
    var line: Line
    /// The event that has been removed from the store.
    var removed: EventRow?
    /// The content to store, as a batch of one event, and its file.
    var toStore: (batch: EventBatch, file: Int64)?
  }

  private struct Content {
    /// Canonical JSON, compared as bytes: Swift considers texts that read the same, such as é composed and decomposed,
    /// to be equal.
    var json: [UInt8]
    var ts: Int64
    var receivedAfter: Int64?
    var file: Int64
    var line: Int64?
    var stored: StoredEvent?

    /// Returns whether this content stays rather than the other.
    func precedes(_ other: Content, isMutable: Bool) -> Bool {
      ConflictResolver.precedes(
        (ts + (receivedAfter ?? 0), json), (other.ts + (other.receivedAfter ?? 0), other.json), isMutable: isMutable)
    }
  }

  /// Returns whether one content of an event id stays rather than another.
  ///
  /// - Parameter isMutable: Whether the newest content of the id stays instead of the first.
  static func precedes(
    _ left: (reception: Int64, json: [UInt8]), _ right: (reception: Int64, json: [UInt8]), isMutable: Bool
  ) -> Bool {
    if left.reception != right.reception { return (left.reception < right.reception) != isMutable }
    return left.json.lexicographicallyPrecedes(right.json)
  }

  private let db: Database
  private let finder: EventFinder

  init(_ db: Database, finder: EventFinder) {
    self.db = db
    self.finder = finder
  }

  /// Decides about a line whose id may be known with another content.
  ///
  /// - Parameter users: Every user that an event with the id may be stored under.
  func settle(
    _ batch: EventBatch, record: EventRecord, app: Int32, users: [Int32], file: Int64
  ) throws -> Outcome {
    let event = Event(batch: batch, record: record)
    let eventID = event.eventID
    let arrival = Content(
      json: event.canonicalJSONBytes, ts: record.ts, receivedAfter: record.receivedAt.map { $0 - record.ts },
      file: file,
      line: Int64(record.line))
    let stored = try StoredEvent.all(db, ofUsers: users, finder: finder, eventID: Array(eventID.utf8)).filter {
      $0.app == app
    }
    guard let stored = stored.first else {
      return Outcome(line: .newEvent, toStore: (try self.batch(of: arrival), file))
    }
    let isMutable = Reception.isOfMutableRow(eventID.utf8)
    var contents = try [content(of: stored)] + quarantined(app: app, eventID: eventID)
    var outcome = Outcome(line: .duplicate)
    if let known = contents.firstIndex(where: { $0.json == arrival.json }) {
      if Reception.precedes(arrival.receivedAfter, contents[known].receivedAfter) != isMutable {
        contents[known].receivedAfter = arrival.receivedAfter
      }
    } else {
      contents.append(arrival)
      outcome.line = .newContent
    }
    guard let winner = contents.min(by: { $0.precedes($1, isMutable: isMutable) }) else { return outcome }
    try db.execute(sql: "DELETE FROM conflict WHERE app = ? AND event_id = ?", arguments: [app, eventID])
    for content in contents where content.json != winner.json {
      try db.execute(
        sql: "INSERT INTO conflict VALUES (?, ?, ?, ?, ?, ?)",
        arguments: [
          app, eventID, String(decoding: content.json, as: UTF8.self), content.receivedAfter.map { content.ts + $0 },
          content.file, content.line,
        ])
    }
    if winner.stored == nil || winner.receivedAfter != stored.receivedAfter {
      try finder.remove(stored.location)
      outcome.removed = stored.row
      outcome.toStore = (try self.batch(of: winner), winner.file)
    }
    return outcome
  }

  private func quarantined(app: Int32, eventID: String) throws -> [Content] {
    try Row.fetchAll(
      db, sql: "SELECT content, received_at, file, line FROM conflict WHERE app = ? AND event_id = ?",
      arguments: [app, eventID]
    ).map { row in
      let json = Array((row[0] as String).utf8)
      let ts = try Self.decode(json).records[0].ts
      let receivedAt: Int64? = row[1]
      return Content(json: json, ts: ts, receivedAfter: receivedAt.map { $0 - ts }, file: row[2], line: row[3])
    }
  }

  private func content(of row: StoredEvent) throws -> Content {
    let batch = try Self.decode(Array(row.line.utf8))
    return Content(
      json: Event(batch: batch, record: batch.records[0]).canonicalJSONBytes, ts: row.row.ts,
      receivedAfter: row.receivedAfter, file: Int64(row.row.file), stored: row)
  }

  private func batch(of content: Content) throws -> EventBatch {
    let batch = try Self.decode(content.json)
    batch.records[0].receivedAt = content.receivedAfter.map { content.ts + $0 }
    return batch
  }

  /// Decodes an event that was valid before.
  static func decode(_ line: [UInt8]) throws -> EventBatch {
    guard let decoder = EventDecoder() else { preconditionFailure("JSON needs no header") }
    if let rejected = decoder.decode(line, number: 1) {
      preconditionFailure("a stored event is not valid: \(rejected.reason): \(String(decoding: line, as: UTF8.self))")
    }
    return decoder.takeBatch()
  }
}
