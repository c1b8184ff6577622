internal import GRDB
internal import Lifecycle

/// The event ids that were received with several contents, each with its contents in quarantine.
struct ContestedEvents {
  struct ID: Hashable {
    var app: NameID
    var eventID: [UInt8]
  }

  struct Content {
    var id: ID
    /// Canonical JSON without `received_at`.
    var json: [UInt8]
    var ts: Int64
    /// If the content was received several times, the `received_at` that decides which content stays.
    var receivedAt: Int64?
    /// The number of the first file with this content.
    var file: Int64
    var line: Int64?

    var reception: Int64 { receivedAt ?? ts }

    func insert(_ db: Database) throws {
      try db.execute(
        sql: "INSERT INTO conflict VALUES (?, ?, ?, ?, ?, ?)",
        arguments: [
          id.app, String(decoding: id.eventID, as: UTF8.self), String(decoding: json, as: UTF8.self), receivedAt, file,
          line,
        ])
    }
  }

  /// The query of the users that contents in quarantine name.
  static let users = """
    SELECT user.id FROM conflict
    JOIN user ON user.app = conflict.app
      AND user.name IN (content ->> '$.user_id', content ->> '$.previous_user_id')
    """

  private var contents: [ID: [Content]] = [:]

  var isEmpty: Bool { contents.isEmpty }

  init(_ db: Database) throws {
    let row = try SQLiteStatement(db, "SELECT app, event_id, content, received_at, file, line FROM main.conflict")
    while try row.step() {
      let id = ID(app: row.int32(0), eventID: [UInt8](row.bytes(1)))
      let json = [UInt8](row.bytes(2))
      contents[id, default: []].append(
        Content(
          id: id, json: json, ts: try ConflictResolver.decode(json).records[0].ts, receivedAt: row.optionalInt64(3),
          file: row.int64(4), line: row.optionalInt64(5)))
    }
  }

  func has(_ id: ID) -> Bool { contents[id] != nil }

  /// Returns, for each id whose stored event is not known at the point, the known content that stays, and all other
  /// known contents.
  ///
  /// - Parameter kept: The ids whose stored event is known at the point.
  func settled(
    _ isKnown: (_ file: Int64, _ reception: Int64) -> Bool, kept: Set<ID>
  ) -> (winners: [Content], quarantined: [Content]) {
    var settled: (winners: [Content], quarantined: [Content]) = ([], [])
    for (id, all) in contents {
      var known = all.filter { isKnown($0.file, $0.reception) }
      let isMutable = Reception.isOfMutableRow(id.eventID)
      known.sort { ConflictResolver.precedes(($0.reception, $0.json), ($1.reception, $1.json), isMutable: isMutable) }
      if !kept.contains(id), !known.isEmpty { settled.winners.append(known.removeFirst()) }
      settled.quarantined += known
    }
    return settled
  }
}
