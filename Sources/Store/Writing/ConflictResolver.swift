internal import EventModel
internal import GRDB
internal import Ingest

/// Decides which of several contents of one event id stays (Events.md, "Duplicates and conflicts"). The result does not
/// depend on the order of arrival; all other contents are in quarantine.
final class ConflictResolver {
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
    var toStore: ReceivedContent?
  }

  private let db: Database
  private let finder: EventFinder
  private let quarantine: Conflicts

  init(_ db: Database, finder: EventFinder) throws {
    self.db = db
    self.finder = finder
    quarantine = try Conflicts(db)
  }

  /// Settles lines of one id, which may be known with other content: together, as a client may give thousands the same.
  ///
  /// Stored content outranks content in quarantine, so of that only contents that come again are read.
  ///
  /// - Parameters:
  ///   - records: Places in the batch, in order, each with its file; at least one.
  ///   - users: Every user that an event of the id may be stored under.
  func settle(
    _ batch: EventBatch, records: ArraySlice<(place: Int, file: Int64)>, of id: EventIdentity, users: [Int32]
  ) throws -> Outcome {
    func arrival(_ line: (place: Int, file: Int64)) -> ReceivedContent {
      let record = batch.records[line.place]
      return ReceivedContent(
        json: batch.canonicalJSON(of: record), ts: record.ts, receivedAt: record.receivedAt, file: line.file,
        line: Int64(record.line))
    }
    guard let stored = try stored(id, users: users) else {
      return Outcome(lines: [.newEvent], toStore: arrival(records[records.startIndex]))
    }
    let isMutable = Reception.isOfMutableRow(id.id)
    var contents = [stored.content]
    var places = [stored.content.json: 0]
    /// The places of contents that are in quarantine.
    var quarantined = Set<Int>()
    var outcome = Outcome(lines: [])
    for record in records {
      let arrival = arrival(record)
      if places[arrival.json] == nil, let known = try quarantine.content(arrival.json, of: id) {
        places[arrival.json] = contents.count
        quarantined.insert(contents.count)
        contents.append(known)
      }
      if let place = places[arrival.json] {
        if Reception.precedes(arrival.receivedAfter, contents[place].receivedAfter) != isMutable {
          contents[place].receivedAt = arrival.receivedAt
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
    for (place, content) in contents.enumerated() where place != winner { try quarantine.put(content, of: id) }
    if quarantined.contains(winner) { try quarantine.remove(contents[winner], of: id) }
    if winner != 0 || contents[winner].receivedAt != stored.content.receivedAt {
      try finder.remove(stored.location)
      outcome.removed = stored.row
      outcome.toStore = contents[winner]
    }
    return outcome
  }

  /// Returns the stored event of an id, which is among the events of some users.
  private func stored(
    _ id: EventIdentity, users: [Int32]
  ) throws -> (content: ReceivedContent, row: EventRow, location: EventFinder.Location)? {
    let ofApp = try SQLiteStatement(db, "SELECT app FROM main.client WHERE id = ?")
    var found: (content: ReceivedContent, row: EventRow, location: EventFinder.Location)?
    try finder.visit(users) { rows, index, location in
      let row = rows.rows[index]
      try rows.text.withUnsafeBytes { text in
        guard found == nil, row.eventID.text(in: text) == id.id else { return }
        guard try ofApp.first(binding: row.client, read: { $0.int32(0) }) == id.app else { return }
        found = (try StoredContent(db, row, text).received, row, location)
      }
    }
    return found
  }
}
