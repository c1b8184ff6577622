internal import Basics
internal import Foundation
internal import GRDB
internal import Ingest

/// The size of a completed backup.
public struct BackupSummary: Sendable, Equatable {
  public var bytes: Int64
  public var events: Int
}

extension Store {
  /// Copies the store as of one instant into a file with SQLite's online backup; other processes can read and write
  /// meanwhile.
  ///
  /// Before the copy takes its name, it is sealed and checked: with SQLite's own check, by the number of rows in each
  /// table and by the references of its events. The copy is either complete or not there.
  ///
  /// - Parameter progress: Called with the number of pages copied and the total.
  public func backup(
    to target: String, progress: ((_ done: Int, _ of: Int) -> Void)? = nil
  ) throws -> BackupSummary {
    let folder = URL(fileURLWithPath: target).deletingLastPathComponent().path
    try requireTarget(target, in: folder)
    guard let file = PartFile(for: target) else {
      throw StoreError.cannotOpen(path: target, reason: SystemReason.text(errno, at: target))
    }
    let part = file.path
    let leftovers = ["", "-wal", "-shm", "-journal", ".seal"].map { part + $0 }
    defer { withExtendedLifetime(file) { for path in leftovers { try? FileManager.default.removeItem(atPath: path) } } }
    let copied = try copy(to: part, target: target, progress)
    // A copy without a seal is still valid, but with the seal of another copy it would seem damaged.
    unlink(PageChecksums.path(of: target))
    guard isOnDisk(part), rename(part, target) == 0 else {
      throw StoreError.writeFailed(path: target, reason: SystemReason.text(errno, at: target))
    }
    _ = rename(PageChecksums.path(of: part), PageChecksums.path(of: target))
    _ = isOnDisk(folder)
    return copied
  }

  /// Checks that the backup replaces only a copy of a store, of any version, and no other file.
  private func requireTarget(_ target: String, in folder: String) throws {
    func refusal(_ reason: String) -> StoreError { .wrongTarget(path: target, reason: reason) }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: target, isDirectory: &isFolder) else {
      if FileManager.default.fileExists(atPath: folder) { return }
      throw refusal("the folder \(folder) does not exist")
    }
    if isFolder.boolValue { throw refusal("is a folder; name a file in it") }
    if let own = FileIdentity(path: path), own == FileIdentity(path: target) {
      throw refusal("is the store itself; name another file")
    }
    guard Schema.hasApplicationID(at: target) else {
      throw refusal("exists and is not a copy of a store; name another file, or remove it")
    }
    if Schema.isWritten(at: target) {
      throw refusal("is a store that events were loaded into, not a backup; name another file, or remove it")
    }
  }

  private func copy(
    to part: String, target: String, _ progress: ((_ done: Int, _ of: Int) -> Void)?
  ) throws -> BackupSummary {
    var rows: [String: Int] = [:]
    let seal: PageChecksums
    let full = SystemReason.fullDisk(free: SystemReason.freeBytes(at: target), needed: fileBytes)
    let noRoom = StoreError.writeFailed(path: target, reason: "\(full); nothing has been written: free some space")
    do {
      let copy = try DatabaseQueue(path: part)
      try translatingErrors {
        try queue.unsafeRead { source in
          try source.beginTransaction(.deferred)
          defer { try? source.rollback() }
          rows = try Self.rowCounts(source)
          do {
            try copy.writeWithoutTransaction { target in
              try source.backup(to: target, pagesPerStep: 4096) { state in
                progress?(state.completedPageCount, state.totalPageCount)
              }
              // The copy is a single file, without a log next to it.
              try target.execute(sql: "PRAGMA journal_mode = DELETE")
            }
          } catch let error as DatabaseError where error.isOfFullDisk(beside: target) {
            throw noRoom
          }
        }
      }
      let pageSize = try copy.unsafeRead { try Int.fetchOne($0, sql: "PRAGMA page_size") ?? 4096 }
      try copy.close()
      seal = try PageChecksums(of: part, pageSize: pageSize)
    } catch let error as DatabaseError {
      if error.isOfFullDisk(beside: target) { throw noRoom }
      throw StoreError.writeFailed(path: target, reason: (error.message ?? "\(error)") + error.fileLimit)
    }
    let store = try Store.open(readOnly: part)
    let events: Int = try store.read { snapshot in
      let problems = try snapshot.integrityProblems() + snapshot.referenceProblems()
      guard problems.isEmpty, try Self.rowCounts(snapshot.db) == rows else {
        throw StoreError.damaged(
          path: path, reason: "the copy is damaged: \(problems.first ?? "rows are missing"); nothing has been written"
        )
      }
      return try Int.fetchOne(snapshot.db, sql: "SELECT COALESCE(SUM(events), 0) FROM event_block") ?? 0
    }
    try seal.write(to: PageChecksums.path(of: part))
    return BackupSummary(bytes: store.fileBytes, events: events)
  }

  private static func rowCounts(_ db: Database) throws -> [String: Int] {
    let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    var counts: [String: Int] = [:]
    for table in tables { counts[table] = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \"\(table)\"") }
    return counts
  }
}
