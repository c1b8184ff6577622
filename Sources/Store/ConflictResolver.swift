internal import EventModel
internal import GRDB
internal import Ingest

/// Settles which of several contents of one event id stays (events.md, "Bad input"): whatever the order of
/// their arrival, the store ends with the same one, and the others are in quarantine.
final class ConflictResolver {
  /// What has to follow from a settlement.
  struct Outcome {
    /// Of each line that turned out to be no new event: the file, and whether its content was new.
    var lines: [(file: Int64, isNewContent: Bool)] = []
    /// Users that an event was taken from.
    var removedFrom: [Int32] = []
    var removedIdentify = false
    var changesReception = false
    /// The content that has to be stored instead, as a batch of one event, and its file.
    var restored: (batch: EventBatch, file: Int64)?
  }

  private struct Content {
    var json: String
    var ts: Int64
    var receivedAfter: Int64?
    var file: Int64
    var line: Int64?
    var stored: StoredEvent?
    var isQuarantined = false

    /// Whether this content stays rather than the other.
    func precedes(_ other: Content) -> Bool {
      let reception = ts + (receivedAfter ?? 0)
      let otherReception = other.ts + (other.receivedAfter ?? 0)
      if reception != otherReception { return reception < otherReception }
      return json.utf8.lexicographicallyPrecedes(other.json.utf8)
    }
  }

  private let db: Database

  init(_ db: Database) throws { self.db = db }

  /// Settles a line whose event is there with other content.
  func settle(line batch: EventBatch, record index: Int, app: Int32, user: Int32, file: Int64) throws -> Outcome {
    let record = batch.records[index]
    let event = Event(batch: batch, record: record)
    let new = Content(
      json: event.canonicalJSON(), ts: record.ts, receivedAfter: record.receivedAt.map { $0 - record.ts }, file: file,
      line: Int64(record.line))
    let eventID = event.eventID
    let stored = try StoredEvent.all(db, ofUsers: [user]) { $0 == eventID }
    return try settle(app: app, eventID: eventID, stored: stored, new: [new])
  }

  /// Settles stored events that share an id.
  ///
  /// - Parameter users: Every user that an event with the id may be stored under.
  func settleStored(users: [Int32]) throws -> [Outcome] {
    let events = try StoredEvent.all(db, ofUsers: users)
    var groups: [String: [StoredEvent]] = [:]
    for event in events { groups["\(event.app) \(event.eventID)", default: []].append(event) }
    return try groups.sorted { $0.key < $1.key }.map(\.value).filter { $0.count > 1 }.map { group in
      try settle(app: group[0].app, eventID: group[0].eventID, stored: group, new: [])
    }
  }

  private func settle(app: Int32, eventID: String, stored: [StoredEvent], new: [Content]) throws -> Outcome {
    var outcome = Outcome()
    var contents = try quarantined(app: app, eventID: eventID)
    // The store has one of them; the others came in the same commit.
    let arrivals = try stored.sorted { $0.file < $1.file }.map { try content(of: $0) } + new
    for (number, arrival) in arrivals.enumerated() {
      if let known = contents.firstIndex(where: { $0.json == arrival.json }) {
        if Reception.precedes(arrival.receivedAfter, contents[known].receivedAfter) {
          contents[known].receivedAfter = arrival.receivedAfter
          outcome.changesReception = true
        }
        if let row = arrival.stored { try remove(row, &outcome) }
        outcome.lines.append((arrival.file, false))
      } else {
        contents.append(arrival)
        if number > 0 { outcome.lines.append((arrival.file, true)) }
      }
    }
    guard let winner = contents.min(by: { $0.precedes($1) }) else { return outcome }
    try db.execute(sql: "DELETE FROM conflict WHERE app = ? AND event_id = ?", arguments: [app, eventID])
    for content in contents where content.json != winner.json {
      if let row = content.stored { try remove(row, &outcome) }
      try db.execute(
        sql: "INSERT INTO conflict VALUES (?, ?, ?, ?, ?, ?)",
        arguments: [
          app, eventID, content.json, content.receivedAfter.map { content.ts + $0 }, content.file, content.line,
        ])
    }
    if winner.stored == nil {
      outcome.restored = (try batch(of: winner), winner.file)
    }
    return outcome
  }

  private func remove(_ row: StoredEvent, _ outcome: inout Outcome) throws {
    let statement = try SQLiteStatement(db, "DELETE FROM event WHERE user = ? AND ts = ? AND kind = ? AND event_id = ?")
    statement.bind(1, row.user)
    statement.bind(2, row.ts)
    statement.bind(3, row.kind)
    statement.bindCoded(4, row.eventID)
    try statement.run()
    outcome.removedFrom.append(row.user)
    if row.isIdentify { outcome.removedIdentify = true }
  }

  private func quarantined(app: Int32, eventID: String) throws -> [Content] {
    try Row.fetchAll(
      db, sql: "SELECT content, received_at, file, line FROM conflict WHERE app = ? AND event_id = ?",
      arguments: [app, eventID]
    ).map { row in
      let json: String = row[0]
      let ts = try decode(json).records[0].ts
      let receivedAt: Int64? = row[1]
      return Content(
        json: json, ts: ts, receivedAfter: receivedAt.map { $0 - ts }, file: row[2], line: row[3], isQuarantined: true)
    }
  }

  private func content(of row: StoredEvent) throws -> Content {
    let batch = try decode(row.line)
    return Content(
      json: Event(batch: batch, record: batch.records[0]).canonicalJSON(), ts: row.ts,
      receivedAfter: row.receivedAfter, file: row.file, stored: row)
  }

  private func batch(of content: Content) throws -> EventBatch {
    let batch = try decode(content.json)
    batch.records[0].receivedAt = content.receivedAfter.map { content.ts + $0 }
    return batch
  }

  /// Reads an event that was valid before.
  private func decode(_ line: String) throws -> EventBatch {
    guard let decoder = EventDecoder() else { preconditionFailure("JSON needs no header") }
    if let rejected = decoder.decode(Array(line.utf8), number: 1) {
      preconditionFailure("a stored event is not valid: \(rejected.reason): \(line)")
    }
    return decoder.takeBatch()
  }
}
