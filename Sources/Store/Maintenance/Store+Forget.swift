internal import EventModel
internal import Foundation
internal import GRDB

/// What an erasure took out of the store.
public struct ForgetReceipt: Codable, Sendable, Equatable {
  /// In byte order.
  public var apps: [String] = []
  public var persons = 0
  /// User ids: those of a person are joined by `identify` events.
  public var ids = 0
  public var events = 0
  public var quarantinedLines = 0
  /// Contents in quarantine that contradicted others.
  public var conflicts = 0
  /// Texts that only those events had.
  public var names = 0
  /// Of the store's file, in bytes.
  public var bytesBefore: Int64 = 0
  public var bytesAfter: Int64 = 0
  /// How often bytes of the ids still stand in the file, in events of others for example; `nil` where the ids are too
  /// short to tell.
  public var traces: Int?
  /// Whether what freed pages and the log hold is overwritten; not while another process reads the store.
  public var isOverwritten = false

  /// Whether there was nothing to erase.
  public var isEmpty: Bool { ids + events + quarantinedLines + conflicts == 0 }

  public init() {}
}

extension Store {
  /// Made before an erasure and gone when the freed pages are: an erasure that was cut short is completed by the next.
  static let pendingTable = "pending_vacuum"

  /// Whether pages of an erasure wait to be overwritten.
  static func hasPendingVacuum(_ db: Database) throws -> Bool { try db.tableExists(pendingTable) }

  /// Erases a person: everything by the id and by all that is joined with it, and what freed pages and the log hold of it.
  ///
  /// - Parameters:
  ///   - apps: Where the id is looked for; empty for everywhere.
  ///   - lockTimeout: Seconds to wait for others to end.
  /// - Returns: `nil` when there is no such user, and nothing of an earlier erasure to complete.
  public func forget(user: String, apps: [String] = [], lockTimeout: Double = 30) throws -> ForgetReceipt? {
    let bytesBefore = fileBytes
    var receipt: ForgetReceipt?
    var names: Set<[UInt8]> = []
    try translatingErrors(lockTimeout: lockTimeout) {
      try queue.writeWithoutTransaction { db in
        // What is deleted is overwritten, in the pages that stay, too.
        try db.execute(sql: "PRAGMA secure_delete = ON")
        try db.inTransaction(.immediate) {
          var erasure = try Erasure(db, storePath: path, user: user, apps: apps)
          names = erasure.names
          try erasure.run()
          if erasure.receipt.isEmpty {
            if try Self.hasPendingVacuum(db) { receipt = try Self.pendingReceipt(db, of: user) ?? ForgetReceipt() }
            return .rollback
          }
          // Samples of keys that the query planner keeps.
          for table in ["sqlite_stat1", "sqlite_stat4"] where try db.tableExists(table) {
            try db.execute(sql: "DELETE FROM \(table)")
          }
          try CachedReports.clear(db)
          receipt = erasure.receipt
          receipt?.bytesBefore = bytesBefore
          // With the receipt, which whoever is cut short has not given out.
          try db.execute(sql: "DROP TABLE IF EXISTS \(Self.pendingTable)")
          try db.execute(sql: Schema.forgetPendingTable)
          try db.execute(
            sql: "INSERT INTO \(Self.pendingTable) VALUES (?, ?)",
            arguments: [Self.number(of: user), String(decoding: JSONEncoder().encode(receipt), as: UTF8.self)])
          return .commit
        }
      }
    }
    guard var receipt else { return nil }
    do {
      try vacuum(lockTimeout: lockTimeout)
      receipt.isOverwritten = true
    } catch StoreError.locked {
      // The events are gone; who reads still holds what they were.
    }
    if receipt.bytesBefore == 0 { receipt.bytesBefore = bytesBefore }
    receipt.bytesAfter = fileBytes
    receipt.traces = try Self.traces(of: names, in: [path, path + "-wal"])
    return receipt
  }

  /// What an erasure of the person took out that was cut short; `nil` where it was of another one.
  private static func pendingReceipt(_ db: Database, of user: String) throws -> ForgetReceipt? {
    let text = try String.fetchOne(
      db, sql: "SELECT receipt FROM \(pendingTable) WHERE user = ?", arguments: [number(of: user)])
    return try text.map { try JSONDecoder().decode(ForgetReceipt.self, from: Data($0.utf8)) }
  }

  /// Tells one person's receipt from another's, and names nobody.
  private static func number(of user: String) -> Int64 {
    Int64(bitPattern: Array(user.utf8).withUnsafeBytes { ByteHash.hash($0) })
  }

  /// Writes the file anew without its free pages, and empties the log.
  ///
  /// - Throws: ``StoreError/locked(path:seconds:)`` when a reader keeps the log; the store is sound then.
  public func vacuum(lockTimeout: Double = 30) throws {
    try translatingErrors(lockTimeout: lockTimeout) {
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA secure_delete = ON")
        unlink(PageChecksums.path(of: path))
        try db.execute(sql: "VACUUM")
        guard try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0 else {
          throw StoreError.locked(path: path, seconds: lockTimeout)
        }
        // The last step, so that one that was cut short is known.
        try db.execute(sql: "DROP TABLE IF EXISTS \(Self.pendingTable)")
        _ = try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
    }
  }

  /// Of the file and its log.
  public var fileBytes: Int64 {
    [path, path + "-wal"].reduce(0) { sum, path in
      sum + ((try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64) ?? 0)
    }
  }

  /// How often names stand in files; shorter ones than 6 bytes stand anywhere by chance.
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
          // What lies in the rest as a whole was counted with it.
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
