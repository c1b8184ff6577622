internal import Basics
internal import EventModel
internal import Foundation
internal import GRDB
internal import Ingest

/// The counts of what an erasure removed from the store.
public struct ForgetReceipt: Codable, Sendable, Equatable {
  /// The apps in byte order.
  public var apps: [String] = []
  public var persons = 0
  /// The number of user ids; the ids of one person are joined by `identify` events.
  public var ids = 0
  public var events = 0
  public var quarantinedLines = 0
  /// The number of contents in quarantine that contradicted others.
  public var conflicts = 0
  /// The number of texts that only the removed events had.
  public var names = 0
  /// The size of the store's file and log before the erasure, in bytes; the next is the size after it.
  public var bytesBefore: Int64 = 0
  public var bytesAfter: Int64 = 0
  /// The number of times that bytes of the ids still occur in the file, for example in events of others; `nil` if the
  /// ids are too short to tell.
  public var traces: Int?
  /// The number of the store's copies that killed commands had left beside it or in the temporary folder, now removed;
  /// `nil` in an interrupted erasure's receipt.
  public var leftoverCopies: Int?
  /// Whether the pages that the store's file had freed have been overwritten and its log emptied; this is not possible
  /// while another process reads the store. Blocks of the disk that earlier logs or copies freed are not covered.
  public var isOverwritten = false

  /// Whether there was nothing to erase.
  public var isEmpty: Bool { ids + events + quarantinedLines + conflicts == 0 }

  public init() {}
}

extension Store {
  /// The table that exists from the erasure until the freed pages are overwritten, so that the next erasure completes
  /// an interrupted one.
  static let pendingTable = "pending_vacuum"

  /// Returns whether freed pages of an erasure have not been overwritten yet.
  static func hasPendingVacuum(_ db: Database) throws -> Bool { try db.tableExists(pendingTable) }

  /// Erases a person: everything with the id or any id joined with it, and its traces in freed pages and the log.
  ///
  /// - Parameters:
  ///   - apps: The apps in which to look for the id; empty for all apps.
  ///   - lockTimeout: Seconds to wait for other processes.
  /// - Returns: `nil` if there is no such user and no earlier erasure to complete.
  public func forget(
    user: String, apps: [String] = [], isDryRun: Bool = false, lockTimeout: Double = 30
  ) throws -> ForgetReceipt? {
    let bytesBefore = fileBytes
    var receipt: ForgetReceipt?
    var names: Set<[UInt8]> = []
    try write(lockTimeout: lockTimeout) { db in
      // Overwrites deleted content in the remaining pages, too.
      try db.execute(sql: "PRAGMA secure_delete = ON")
      try db.inTransaction(.immediate) {
        var erasure = try Erasure(db, storePath: path, user: user, apps: apps)
        names = erasure.names
        try erasure.run()
        if isDryRun {
          receipt = erasure.receipt.isEmpty ? nil : erasure.receipt
          return .rollback
        }
        if erasure.receipt.isEmpty {
          if try Self.hasPendingVacuum(db) { receipt = try Self.pendingReceipt(db, of: user) ?? ForgetReceipt() }
          return .rollback
        }
        // The query planner's statistics contain samples of keys.
        for table in ["sqlite_stat1", "sqlite_stat4"] where try db.tableExists(table) {
          try db.execute(sql: "DELETE FROM \(table)")
        }
        try CachedReports.clear(db)
        receipt = erasure.receipt
        receipt?.bytesBefore = bytesBefore
        // Stores the receipt as well, because an interrupted erasure has not returned it.
        try db.execute(sql: "DROP TABLE IF EXISTS \(Self.pendingTable)")
        try db.execute(sql: Schema.forgetPendingTable)
        try db.execute(
          sql: "INSERT INTO \(Self.pendingTable) VALUES (?, ?)",
          arguments: [Self.number(of: user), String(decoding: JSONEncoder().encode(receipt), as: UTF8.self)])
        return .commit
      }
    }
    guard var receipt, !isDryRun else { return receipt }
    do {
      try vacuum(lockTimeout: lockTimeout)
      receipt.isOverwritten = true
    } catch StoreError.locked {
      // The events are removed; the reader still has a snapshot with them.
    }
    if receipt.bytesBefore == 0 { receipt.bytesBefore = bytesBefore }
    receipt.bytesAfter = fileBytes
    let file = FileIdentity.realPath(of: path)
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
    receipt.leftoverCopies =
      Self.removeTemporaryFolders()
      + PartFile.removeStale(in: folder, of: nil) { Schema.hasApplicationID(at: $0) }
    receipt.traces = try Self.traces(of: names, in: [file, file + "-wal"])
    return receipt
  }

  /// Returns the receipt of an interrupted erasure of the person; `nil` if it was for another person.
  private static func pendingReceipt(_ db: Database, of user: String) throws -> ForgetReceipt? {
    let text = try String.fetchOne(
      db, sql: "SELECT receipt FROM \(pendingTable) WHERE user = ?", arguments: [number(of: user)])
    return try text.map { try JSONDecoder().decode(ForgetReceipt.self, from: Data($0.utf8)) }
  }

  /// Returns a number that distinguishes one person's receipt from another's without naming anybody.
  private static func number(of user: String) -> Int64 {
    Int64(bitPattern: Array(user.utf8).withUnsafeBytes { ByteHash.hash($0) })
  }

  func emptyLog(_ db: Database, _ lockTimeout: Double) throws {
    guard try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0 else {
      throw StoreError.locked(path: path, seconds: lockTimeout)
    }
  }

  /// Rewrites the file without its free pages and empties the log.
  ///
  /// - Throws: ``StoreError/locked(path:seconds:)`` if a reader prevents the log from being emptied; the store is
  ///   intact then.
  public func vacuum(lockTimeout: Double = 30) throws {
    try write(lockTimeout: lockTimeout) { db in
      try db.execute(sql: "PRAGMA secure_delete = ON")
      unlink(PageChecksums.path(of: path))
      do {
        try db.execute(sql: "VACUUM")
      } catch let error as DatabaseError where error.isOfFullDisk(beside: path) {
        throw StoreError.full(path: path, free: SystemReason.freeBytes(at: path), needed: fileBytes)
      }
      try emptyLog(db, lockTimeout)
      // This is the last step, so that an interrupted run is detected.
      try db.execute(sql: "DROP TABLE IF EXISTS \(Self.pendingTable)")
      _ = try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }

  /// The size of the file and its log, in bytes.
  public var fileBytes: Int64 {
    let path = FileIdentity.realPath(of: path)
    return [path, path + "-wal"].reduce(0) { sum, path in
      sum + ((try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64) ?? 0)
    }
  }

  /// Returns the number of times that names occur in files; `nil` if all are shorter than 6 bytes, which occur by
  /// chance.
  private static func traces(of names: Set<[UInt8]>, in paths: [String]) throws -> Int? {
    let wanted = names.map { Data($0) }.filter { $0.count >= 6 }
    guard let longest = wanted.map(\.count).max() else { return nil }
    var found = 0
    for path in paths {
      guard let file = FileHandle(forReadingAtPath: path) else { continue }
      defer { try? file.close() }
      var rest = Data()
      while let portion = try file.read(upToCount: 8 << 20), !portion.isEmpty {
        let text = rest + portion
        for name in wanted {
          var from = text.startIndex
          // Occurrences that lie completely in the overlap have been counted already.
          while let range = text.range(of: name, in: from..<text.endIndex) {
            if range.upperBound > rest.count { found += 1 }
            from = range.lowerBound + 1
          }
        }
        rest = Data(text.suffix(longest - 1))
      }
    }
    return found
  }
}
