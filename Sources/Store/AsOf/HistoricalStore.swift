public import Basics
internal import EventModel
internal import Foundation
internal import GRDB
import GRDBSQLite
internal import Ingest
internal import Lifecycle

/// A store with some of another store's events, which answers as if it had never read any others. It lies in a
/// temporary folder of its own, which is deleted with the instance.
public final class HistoricalStore: Sendable {
  public let store: Store
  private let part: PartFile

  typealias Contents = (
    events: [ReceivedContent], quarantined: [(id: EventIdentity, content: ReceivedContent)]
  )

  /// Copies part of another store.
  ///
  /// - Parameters:
  ///   - snapshot: The other store; its dictionaries, files and rates are copied.
  ///   - fileCondition: The files to copy, as an SQL condition on `file`.
  ///   - isKept: Returns whether an event is copied; takes the event and the text of its ids.
  ///   - contents: Returns further events, whose ids no copied event has, and contents in quarantine; called once the
  ///     copied events are known.
  init(
    of snapshot: StoreSnapshot, files fileCondition: String = "1 = 1",
    isKept: (EventRow, UnsafeRawBufferPointer) throws -> Bool,
    contents: () throws -> Contents
  ) throws {
    let part = try Store.temporaryFolder()
    do {
      let path = "\(part.path)/store.db"
      try Self.fill(Store.open(path: path), snapshot.db, fileCondition, isKept, contents)
      self.part = part
      store = try Store.open(readOnly: path).beside(snapshot.folder)
    } catch {
      try? FileManager.default.removeItem(atPath: part.path)
      throw error
    }
  }

  /// Copies further events of the store that this one has events of.
  func add(from snapshot: StoreSnapshot, isKept: (EventRow, UnsafeRawBufferPointer) throws -> Bool) throws {
    let store = try Store.open(path: "\(part.path)/store.db")
    try store.write { db in
      try db.execute(sql: "PRAGMA synchronous = OFF")
      try db.inTransaction(.immediate) {
        // Those without an event were removed.
        let users = "SELECT id, app, name, id FROM main.user"
        try Self.copy(users, of: snapshot.db, to: "user", in: db, replacing: false)
        let writer = try EventWriter(db, storePath: store.path)
        try writer.adopt(SortedRuns.cursors(snapshot.db), isKept: isKept)
        try writer.finish()
        try Self.removeUnseenUsers(db)
        return .commit
      }
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: part.path) }

  private static func fill(
    _ store: Store, _ source: Database, _ fileCondition: String,
    _ isKept: (EventRow, UnsafeRawBufferPointer) throws -> Bool,
    _ contents: () throws -> Contents
  ) throws {
    try store.write { db in
      // A crash may lose this store: it is temporary.
      try db.execute(sql: "PRAGMA synchronous = OFF")
      try db.inTransaction(.immediate) {
        for table in ["name", "context", "client", "terms", "property_set", "property", "user_key"] {
          try copy("SELECT * FROM main.\(table)", of: source, to: table, in: db)
        }
        // The identity graph is derived from the events again, so each user starts as a person of its own.
        try copy("SELECT id, app, name, id FROM main.user", of: source, to: "user", in: db)
        try copy("SELECT * FROM main.file WHERE \(fileCondition)", of: source, to: "file", in: db)
        for table in ["rejected_line", "unkept_line", "left_out", "reported_count"] {
          try copy(
            "SELECT * FROM main.\(table) WHERE file IN (SELECT id FROM main.file WHERE \(fileCondition))", of: source,
            to: table, in: db)
        }
        let writer = try EventWriter(db, storePath: store.path, hasFacts: false)
        try writer.adopt(SortedRuns.cursors(source), isKept: isKept)
        let contents = try contents()
        try writer.add(contents.events)
        let conflicts = try Conflicts(db)
        for (id, content) in contents.quarantined { try conflicts.put(content, of: id) }
        try writer.finish()
        try removeUnseenUsers(db)
        return .commit
      }
      try copyImported(source, db)
      try db.execute(sql: "PRAGMA analysis_limit = 1000; PRAGMA optimize")
    }
  }

  /// Removes the users that no event of the copy names.
  private static func removeUnseenUsers(_ db: Database) throws {
    let seen = try UserSet(namedIn: db)
    let delete = try SQLiteStatement(db, "DELETE FROM main.user WHERE id = ?")
    for user in try Int32.fetchAll(db, sql: "SELECT id FROM main.user") where !seen.contains(user) {
      try delete.run(binding: user)
    }
  }

  /// Copies rates and spend, which are not events and count as always known.
  private static func copyImported(_ source: Database, _ db: Database) throws {
    for table in ["rate", "spend"] {
      guard
        let sql = try String.fetchOne(
          source, sql: "SELECT sql FROM main.sqlite_schema WHERE name = ?", arguments: [table])
      else { continue }
      try db.inTransaction(.immediate) {
        try db.execute(sql: sql)
        try copy("SELECT * FROM main.\(table)", of: source, to: table, in: db)
        return .commit
      }
    }
  }

  /// Copies the rows returned by a query into a table.
  ///
  /// - Parameter isReplacing: Whether rows of the table with the key of a copied one are replaced, not kept.
  private static func copy(
    _ query: String, of source: Database, to table: String, in db: Database, replacing isReplacing: Bool = true
  ) throws {
    let row = try SQLiteStatement(source, query)
    let places = Array(repeating: "?", count: row.columnCount).joined(separator: ", ")
    let insert = try SQLiteStatement(
      db, "INSERT OR \(isReplacing ? "REPLACE" : "IGNORE") INTO main.\(table) VALUES (\(places))")
    while try row.step() {
      for column in 0..<Int32(row.columnCount) {
        switch row.type(column) {
        case SQLITE_INTEGER: insert.bind(column + 1, row.int64(column))
        case SQLITE_FLOAT: insert.bind(column + 1, row.optionalDouble(column))
        case SQLITE_TEXT: insert.bindText(column + 1, row.bytes(column))
        case SQLITE_BLOB: insert.bindBlob(column + 1, row.bytes(column))
        default: insert.bindNull(column + 1)
        }
      }
      try insert.run()
    }
  }
}

extension EventWriter {
  /// Copies events of another store that has the same dictionaries and users.
  fileprivate func adopt(
    _ cursors: [TableCursor], isKept: (EventRow, UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    let forFold = dictionaries.forFold
    for cursor in cursors {
      var filler = BlockFiller()
      spillFile.beginRun()
      try cursor.forEachBlock { events in
        try events.text.withUnsafeBytes { text in
          for row in events.rows where try isKept(row, text) {
            try days.add(row, forFold)
            if let full = filler.append(row, text: text) { try spillFile.add(full) }
            note(row)
            if isJoin(row) { try join(row) }
            upkeep.touch(row.user)
          }
        }
      }
      if let rest = filler.flush() { try spillFile.add(rest) }
    }
  }
}

extension Store {
  private static var temporaryName: String { "tollgate-copy-" }

  /// Creates a folder for a temporary store, and removes those that killed processes left.
  ///
  /// - Returns: The folder, which its user removes.
  public static func temporaryFolder() throws(StoreError) -> PartFile {
    removeTemporaryFolders()
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("\(temporaryName)\(UUID().uuidString)")
    guard let folder = PartFile(for: place.path, isFolder: true) else {
      throw .cannotOpen(path: place.path, reason: String(cString: strerror(errno)))
    }
    return folder
  }

  /// Removes the folders of temporary stores that killed processes left.
  ///
  /// - Returns: Their number.
  @discardableResult
  static func removeTemporaryFolders() -> Int {
    PartFile.removeStale(in: FileManager.default.temporaryDirectory.path, of: nil) { $0.contains("/.\(temporaryName)") }
  }
}
