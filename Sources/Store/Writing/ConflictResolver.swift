internal import EventModel
internal import GRDB
internal import Ingest

/// Decides which of several contents of one event id stays (Events.md, "Duplicates and conflicts"). The result does not
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
    /// The results of the first lines: of all, or of the first alone if the id was not in the store.
    var lines: [Line]
    /// The event that has been taken out of the store.
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
    /// Whether the content is in quarantine.
    var isConflict = false

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

  private let select: SQLiteStatement
  private let insert: SQLiteStatement
  private let delete: SQLiteStatement

  init(_ db: Database, finder: EventFinder) throws {
    self.db = db
    self.finder = finder
    let isKnown = "WHERE app = ? AND event_id = ? AND content = ?"
    select = try SQLiteStatement(db, "SELECT received_at, file, line FROM conflict \(isKnown)")
    insert = try SQLiteStatement(db, "INSERT OR REPLACE INTO conflict VALUES (?, ?, ?, ?, ?, ?)")
    delete = try SQLiteStatement(db, "DELETE FROM conflict \(isKnown)")
  }

  /// Settles lines of one id, which may be known with other content: together, as a client may give thousands the same.
  ///
  /// Stored content outranks content in quarantine, so of that only contents that come again are read.
  ///
  /// - Parameters:
  ///   - records: Places in the batch, in order, each with its file; at least one.
  ///   - users: Every user that an event of the id may be stored under.
  func settle(
    _ batch: EventBatch, records: ArraySlice<(place: Int, file: Int64)>, app: Int32, eventID: [UInt8], users: [Int32]
  ) throws -> Outcome {
    func arrival(_ line: (place: Int, file: Int64)) -> Content {
      let record = batch.records[line.place]
      return Content(
        json: batch.canonicalJSON(of: record), ts: record.ts,
        receivedAfter: record.receivedAt.map { $0 - record.ts }, file: line.file, line: Int64(record.line))
    }
    let stored = try StoredEvent.all(db, ofUsers: users, finder: finder, eventID: eventID).first { $0.app == app }
    guard let stored else {
      let first = records[records.startIndex]
      return Outcome(lines: [.newEvent], toStore: (try self.batch(of: arrival(first)), first.file))
    }
    let isMutable = Reception.isOfMutableRow(eventID)
    var contents = [try content(of: stored)]
    var places = [contents[0].json: 0]
    var outcome = Outcome(lines: [])
    for record in records {
      let arrival = arrival(record)
      if places[arrival.json] == nil, let known = try quarantined(app: app, eventID: eventID, arrival.json) {
        places[arrival.json] = contents.count
        contents.append(known)
      }
      if let place = places[arrival.json] {
        if Reception.precedes(arrival.receivedAfter, contents[place].receivedAfter) != isMutable {
          contents[place].receivedAfter = arrival.receivedAfter
        }
        outcome.lines.append(.duplicate)
      } else {
        places[arrival.json] = contents.count
        contents.append(arrival)
        outcome.lines.append(.newContent)
      }
    }
    guard let winner = contents.indices.min(by: { contents[$0].precedes(contents[$1], isMutable: isMutable) }) else {
      return outcome
    }
    for (place, content) in contents.enumerated() where place == winner ? content.isConflict : true {
      try quarantine(content, app: app, eventID: eventID, isGone: place == winner)
    }
    if winner != 0 || contents[winner].receivedAfter != stored.receivedAfter {
      try finder.remove(stored.location)
      outcome.removed = stored.row
      outcome.toStore = (try self.batch(of: contents[winner]), contents[winner].file)
    }
    return outcome
  }

  private func quarantined(app: Int32, eventID: [UInt8], _ json: [UInt8]) throws -> Content? {
    select.bind(all: app, String(decoding: eventID, as: UTF8.self), String(decoding: json, as: UTF8.self))
    defer { select.reset() }
    guard try select.step() else { return nil }
    let ts = try Self.decode(json).records[0].ts
    return Content(
      json: json, ts: ts, receivedAfter: select.optionalInt64(0).map { $0 - ts }, file: select.int64(1),
      line: select.optionalInt64(2), isConflict: true)
  }

  /// - Parameter isGone: Whether it leaves the quarantine, as it is to be stored.
  private func quarantine(_ content: Content, app: Int32, eventID: [UInt8], isGone: Bool) throws {
    let statement = isGone ? delete : insert
    statement.bind(all: app, String(decoding: eventID, as: UTF8.self), String(decoding: content.json, as: UTF8.self))
    if !isGone {
      statement.bind(4, content.receivedAfter.map { content.ts + $0 })
      statement.bind(5, content.file)
      statement.bind(6, content.line)
    }
    try statement.run()
  }

  private func content(of row: StoredEvent) throws -> Content {
    let batch = try Self.decode(Array(row.line.utf8))
    return Content(
      json: batch.canonicalJSON(of: batch.records[0]), ts: row.row.ts,
      receivedAfter: row.receivedAfter, file: Int64(row.row.file))
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
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a stored event is not valid: \(rejected.reason)")
    }
    return decoder.takeBatch()
  }
}
