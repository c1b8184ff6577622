internal import EventModel
internal import Foundation
internal import GRDB
internal import Ingest

extension StoreSnapshot {
  /// The state of a file of the manifest on the disk now.
  public enum FileState: String, CaseIterable, Sendable {
    case unchanged
    /// The file has other bytes than when it was read.
    case changed
    case missing
  }

  /// Compares the events with the tables that they refer to or that count them: the manifest, users, keys and
  /// dictionaries.
  ///
  /// - Returns: The problems, one sentence each; empty if there are none.
  public func referenceProblems() throws -> [String] {
    do {
      _ = try StoredDictionaries(db)
    } catch let error as DatabaseError {
      return [error.message ?? "\(error)"]
    }
    var problems: [String] = []
    var events = 0
    var files = Set<Int32>()
    var users = UserSet()
    var greatest = (client: Int32(0), context: Int32(0), terms: Int32(0), properties: Int32(0))
    try SortedRuns.forEachRow(db, requiresEntries: false) { row, _ in
      events += 1
      files.insert(row.file)
      users.insert(row.user)
      if row.previousUser != 0 { users.insert(row.previousUser) }
      greatest.client = max(greatest.client, row.client)
      greatest.context = max(greatest.context, row.context)
      greatest.terms = max(greatest.terms, row.terms)
      greatest.properties = max(greatest.properties, row.properties)
    }
    let entries = [
      ("client", greatest.client), ("context", greatest.context), ("terms", greatest.terms),
      ("property_set", greatest.properties),
    ]
    for (table, last) in entries {
      // Entries are numbered without gaps: contexts and property sets from 0, the others from 1.
      let first = table == "client" || table == "terms" ? 1 : 0
      let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table)") ?? 0
      if Int(last) >= count + first { problems.append("events point to entry \(last) of \(table), which has \(count)") }
    }
    let known = Set(try Int32.fetchAll(db, sql: "SELECT id FROM file WHERE failure IS NULL"))
    let unknown = files.subtracting(known)
    if !unknown.isEmpty {
      problems.append("events come from \(counted(unknown.count, "file")) that the store does not list")
    }
    let stored = try UserSet(db)
    let missing = users.users.count { !stored.contains($0) }
    if missing > 0 { problems.append("events belong to \(counted(missing, "user")) that the store does not list") }
    let brought = try Int.fetchOne(db, sql: "SELECT COALESCE(SUM(events), 0) FROM file") ?? 0
    if events < brought {
      let lost = "\(counted(brought - events, "event")) \(brought - events == 1 ? "is" : "are") missing"
      problems.append("\(lost): the store has \(grouped(events)) of \(grouped(brought))")
    } else if events > brought {
      problems.append("the store has \(grouped(events)) events, but its files have only \(grouped(brought))")
    }
    // Without the keys, repeated events would be counted again.
    for (table, what, wanted) in [("event_key", "events", events), ("user_key", "users", stored.count)] {
      let keys = try Int.fetchOne(db, sql: "SELECT COALESCE(SUM(count), 0) FROM \(table)") ?? 0
      if keys < wanted { problems.append("\(wanted) \(what) have \(keys) keys by which they are known again") }
    }
    return problems
  }

  public struct ManifestFile: Sendable {
    /// The file's number, in order of ingestion.
    public var id: Int64
    public var path: String
    public var digest: [UInt8]
    public var lines: Int
    public var events: Int
    public var duplicates: Int
    public var conflicts: Int
    /// The number of quarantined lines, without conflicts.
    public var quarantined: Int
    /// The reason why nothing was taken from the file; `nil` if it was ingested.
    public var failure: String?
  }

  /// Returns the manifest in order of ingestion.
  public func manifest() throws -> [ManifestFile] {
    try Row.fetchAll(
      db,
      sql: "SELECT id, path, digest, lines, events, duplicates, conflicts, quarantined, failure FROM file ORDER BY id"
    ).map { row in
      let digest: Data = try row.required(2)
      return try ManifestFile(
        id: row.required(0), path: row.required(1), digest: [UInt8](digest), lines: row.required(3),
        events: row.required(4), duplicates: row.required(5), conflicts: row.required(6), quarantined: row.required(7),
        failure: row.optional(8))
    }
  }

  /// Returns the number of quarantined lines by reason, over the files after one in the manifest.
  public func quarantined(behind file: Int64) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT reason, COUNT(*) FROM rejected_line WHERE file > ?1 GROUP BY reason
        UNION ALL SELECT reason, SUM(lines) FROM unkept_line WHERE file > ?1 GROUP BY reason
        UNION ALL SELECT 'conflict', COUNT(*) FROM conflict WHERE file > ?1
        """, arguments: [file])
    for row in rows {
      let count: Int = try row.optional(1) ?? 0
      if count > 0 { counts[try row.required(0), default: 0] += count }
    }
    return counts
  }

  /// Compares the ingested files with the files at their paths now.
  ///
  /// - Returns: The states by path, in order of ingestion; standard input and pipes are left out.
  public func fileStates() throws -> [(path: String, state: FileState)] {
    try Row.fetchAll(db, sql: "SELECT path, bytes, digest FROM file WHERE failure IS NULL ORDER BY id").compactMap {
      row in
      let (path, bytes, digest): (String, Int64, Data) = try (row.required(0), row.required(1), row.required(2))
      if path == "-" { return nil }
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64
      guard let size else { return (path, .missing) }
      let isSame = size == bytes && InputFile(pathBytes: Array(path.utf8), byteCount: size).digest() == [UInt8](digest)
      return (path, isSame ? .unchanged : .changed)
    }
  }

  /// Returns whether an erasure has not yet overwritten the pages it freed.
  public func hasPendingVacuum() throws -> Bool { try Store.hasPendingVacuum(db) }
}

extension UserSet {
  /// Reads the users of a store.
  fileprivate init(_ db: Database) throws {
    self.init()
    let statement = try SQLiteStatement(db, "SELECT id FROM user")
    while try statement.step() { insert(statement.int32(0)) }
  }
}
