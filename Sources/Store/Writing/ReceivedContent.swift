internal import EventModel
internal import GRDB
internal import Ingest
internal import Lifecycle

/// Names an event: each counts once.
struct EventIdentity: Hashable {
  var app: NameID
  var id: [UInt8]
}

/// A content that an event id was received with.
struct ReceivedContent {
  /// Canonical JSON without `received_at`, compared as bytes: Swift considers texts that read the same, such as é
  /// composed and decomposed, to be equal.
  var json: [UInt8]
  var ts: Int64
  /// If the content was received several times, the `received_at` that decides which content stays.
  var receivedAt: Int64?
  /// The number of the file that it came from.
  var file: Int64
  var line: Int64?

  var reception: Int64 { receivedAt ?? ts }
  var receivedAfter: Int64? { receivedAt.map { $0 - ts } }

  /// Returns whether this content of an id stays rather than another.
  ///
  /// - Parameter isMutable: Whether the newest content of the id stays instead of the first.
  func precedes(_ other: Self, isMutable: Bool) -> Bool {
    if reception != other.reception { return (reception < other.reception) != isMutable }
    return json.lexicographicallyPrecedes(other.json)
  }

  /// Decodes contents, which were valid before, in order.
  static func batch(of contents: some Collection<Self>) throws -> EventBatch {
    let batch = try decode(contents.map { (json: $0.json, line: $0.line) })
    for (place, content) in contents.enumerated() { batch.records[place].receivedAt = content.receivedAt }
    return batch
  }

  fileprivate static func decode(_ lines: [(json: [UInt8], line: Int64?)]) throws -> EventBatch {
    guard let decoder = EventDecoder() else { preconditionFailure("JSON needs no header") }
    for (json, line) in lines {
      if let rejected = decoder.decode(json, number: Int(line ?? 0)) {
        throw StoredDamage.error("a stored event is not valid: \(rejected.reason)")
      }
    }
    return decoder.takeBatch()
  }
}

/// The contents in quarantine: those that contradict the stored event of their id.
final class Conflicts {
  private let select: SQLiteStatement
  private let insert: SQLiteStatement
  private let delete: SQLiteStatement

  init(_ db: Database) throws {
    let isKnown = "WHERE app = ? AND event_id = ? AND content = ?"
    select = try SQLiteStatement(db, "\(Self.columns) \(isKnown)")
    insert = try SQLiteStatement(db, "INSERT OR REPLACE INTO conflict VALUES (?, ?, ?, ?, ?, ?)")
    delete = try SQLiteStatement(db, "DELETE FROM conflict \(isKnown)")
  }

  private static let columns = "SELECT app, event_id, content, received_at, file, line FROM main.conflict"

  static func all(_ db: Database) throws -> [(id: EventIdentity, content: ReceivedContent)] {
    var all: [(id: EventIdentity, content: ReceivedContent)] = []
    let row = try SQLiteStatement(db, columns)
    while try row.step() {
      all.append((EventIdentity(app: row.int32(0), id: [UInt8](row.bytes(1))), try content(row)))
    }
    return all
  }

  func content(_ json: [UInt8], of id: EventIdentity) throws -> ReceivedContent? {
    bind(select, id, json)
    defer { select.reset() }
    return try select.step() ? Self.content(select) : nil
  }

  func put(_ content: ReceivedContent, of id: EventIdentity) throws {
    bind(insert, id, content.json)
    insert.bind(4, content.receivedAt)
    insert.bind(5, content.file)
    insert.bind(6, content.line)
    try insert.run()
  }

  func remove(_ content: ReceivedContent, of id: EventIdentity) throws {
    bind(delete, id, content.json)
    try delete.run()
  }

  private func bind(_ statement: SQLiteStatement, _ id: EventIdentity, _ json: [UInt8]) {
    statement.bind(all: id.app, String(decoding: id.id, as: UTF8.self), String(decoding: json, as: UTF8.self))
  }

  private static func content(_ row: SQLiteStatement) throws -> ReceivedContent {
    let json = [UInt8](row.bytes(2))
    return ReceivedContent(
      json: json, ts: try ReceivedContent.decode([(json, nil)]).records[0].ts, receivedAt: row.optionalInt64(3),
      file: row.int64(4), line: row.optionalInt64(5))
  }
}

extension UserSet {
  /// Reads the users that events name, or contents in quarantine.
  init(namedIn db: Database) throws {
    self.init()
    try SortedRuns.forEachRow(db) { row, _ in
      insert(row.user)
      insert(row.previousUser)
    }
    let ofConflicts = """
      SELECT user.id FROM conflict
      JOIN user ON user.app = conflict.app
        AND user.name IN (content ->> '$.user_id', content ->> '$.previous_user_id')
      """
    let greatest = try StoredEntries.greatestUser(db)
    for user in try Int32.fetchAll(db, sql: ofConflicts) {
      guard user > 0, user <= greatest else { throw StoredDamage.lacks(user, of: "user", had: "a conflict") }
      insert(user)
    }
  }
}

extension EventWriter {
  /// Adds contents that events were received with before.
  func add(_ contents: [ReceivedContent]) throws {
    // The decoder holds half a million lines between batches.
    for first in stride(from: 0, to: contents.count, by: 100_000) {
      let part = contents[first..<min(first + 100_000, contents.count)]
      try add(PreparedBatch(ReceivedContent.batch(of: part)), records: 0..<part.count, files: part.map(\.file))
    }
  }
}
