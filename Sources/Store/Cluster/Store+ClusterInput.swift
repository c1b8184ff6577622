internal import Foundation
internal import GRDB

/// Takes the files, rejected lines, conflicts and days read on a cluster, for a store that took its events or facts from
/// there.
public final class ReadElsewhere {
  private let db: Database
  private let names: DictionaryWriter
  /// Apps that have days already.
  private let known: Set<Int32>
  /// The sum over all files.
  private let events: Int64
  private let duplicates: Int64
  private var fileCount = 0
  /// The numbers of files by path.
  private var numbers: [String: Int64] = [:]

  fileprivate init(_ db: Database, events: Int64, duplicates: Int64) throws {
    for table in ["file", "rejected_line", "unkept_line", "left_out", "conflict"] {
      try db.execute(sql: "DELETE FROM \(table)")
    }
    (self.db, self.events, self.duplicates) = (db, events, duplicates)
    names = try DictionaryWriter(db)
    known = Set(try Int32.fetchAll(db, sql: "SELECT DISTINCT app FROM app_day"))
  }

  public func addFile(
    path: String, digest: [UInt8], bytes: Int64, lines: Int64, rejected: Int64, csvHeader: [UInt8]?, failure: String?
  ) throws {
    // A file that was read in parts has no digest; its place tells it from the others.
    let digest = digest.isEmpty ? Data("read in parts \(fileCount)".utf8) : Data(digest)
    let isFirst = fileCount == 0
    fileCount += 1
    numbers[path] = Int64(fileCount)
    // A cluster does not record which file brought an event first, so the first row holds the sums.
    try db.execute(
      sql: "INSERT INTO file VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, 'native', 'native')",
      arguments: [
        fileCount, path, digest, bytes, lines, isFirst ? events : 0, isFirst ? duplicates : 0, rejected, failure,
        rejected > 0 ? csvHeader.map { Data($0) } : nil,
      ])
  }

  /// Adds a rejected line of a file that was added before.
  public func addLine(path: String, line: Int64, reason: String, field: String?, raw: [UInt8]) throws {
    let text = String(validating: raw, as: UTF8.self)
    try db.execute(
      sql: "INSERT INTO rejected_line (file, line, reason, field, raw) VALUES (?, ?, ?, ?, ?)",
      arguments: [
        numbers[path] ?? 0, line, reason, field, text.map { $0.databaseValue } ?? Data(raw).databaseValue,
      ])
  }

  /// Adds an event that a file that was added before has with other contents.
  public func addConflict(
    app: String, eventID: String, content: String, receivedAt: Int64?, path: String, line: Int64?
  ) throws {
    try db.execute(
      sql: "INSERT INTO conflict VALUES (?, ?, ?, ?, ?, ?)",
      arguments: [number(app), eventID, content, receivedAt, numbers[path] ?? 0, line])
  }

  /// Adds a day of an app that has none yet, even if its facts or events are not in the store.
  ///
  /// - Parameter day: The day's first millisecond, UTC.
  public func addDay(
    app: String, day: Int64, events: Int64, newestReceived: Int64?, newestTimely: Int64?, newestEarly: Int64?,
    newestUnmarked: Int64?
  ) throws {
    let app = try number(app)
    if known.contains(app) { return }
    try db.execute(
      sql: "INSERT INTO app_day VALUES (?, ?, ?, ?, ?, ?, ?)",
      arguments: [app, day, events, newestReceived, newestTimely, newestEarly, newestUnmarked])
  }

  private func number(_ name: String) throws -> Int32 {
    var name = name
    return try name.withUTF8 { try names.name(UnsafeRawBufferPointer($0)) }
  }
}

extension Store {
  /// Replaces the store's records of files and quarantine, and adds the days of apps that it has none of.
  ///
  /// - Parameters:
  ///   - events: The number of events in all files; `duplicates` likewise.
  ///   - body: Adds files, then the rest.
  public func takeReadings(events: Int64, duplicates: Int64, _ body: (ReadElsewhere) throws -> Void) throws {
    try write { db in
      try db.inTransaction(.immediate) {
        try body(ReadElsewhere(db, events: events, duplicates: duplicates))
        return .commit
      }
    }
  }
}
