internal import Basics
internal import Foundation
internal import GRDB

/// A new store is made in a part file: nobody reads it yet, so it needs no log, and it is synced once. A killed process
/// leaves only the part, which the next one removes.
extension Store {
  /// Opens the store for writing. If there is none, starts one in a part file that ``publish(lockTimeout:)`` puts in place.
  ///
  /// - Parameter lockTimeout: Seconds to wait while another process writes to the store, or makes it.
  public static func openOrStart(path: String, lockTimeout: Double = 30) throws -> Store {
    guard let part = try lockPart(of: path, lockTimeout: lockTimeout) else {
      return try open(path: path, lockTimeout: lockTimeout)
    }
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      // The journal, which a file that fails in the middle needs, holds only pages from before the transaction: few.
      try db.execute(
        sql: """
          PRAGMA journal_mode = MEMORY;
          PRAGMA synchronous = OFF;
          PRAGMA cache_size = -8192;
          """)
    }
    // A process that was killed between them and the store's place left them, and they would damage this one.
    for suffix in ["-wal", "-shm"] { unlink(part.path + suffix) }
    let store = try open(path, configuration, lockTimeout: lockTimeout, part: part)
    try store.write(lockTimeout: lockTimeout) { db in try Schema.migrate(db) { try store.rebuildDerived(db) } }
    return store
  }

  /// Whether the store has not taken its place yet.
  var isPart: Bool { connection.withLock { $0.part != nil } }

  /// Locks the part in which a store can be made.
  ///
  /// - Returns: `nil` if the store exists, even as a link to nothing, or if the folder takes no part: opening the store
  ///   reports why.
  /// - Throws: ``StoreError/locked(path:seconds:)`` while another process makes the store.
  static func lockPart(of path: String, lockTimeout: Double) throws -> PartFile? {
    if isThere(path) { return nil }
    guard let part = PartFile(alone: path, seconds: lockTimeout) else {
      if errno == EWOULDBLOCK { throw StoreError.locked(path: path, seconds: lockTimeout) }
      return nil
    }
    if !isThere(path) { return part }
    // Another process has made it meanwhile.
    unlink(part.path)
    return nil
  }

  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Puts a store that is made in a part in its place, and opens it there; any other store stays as it is.
  func publish(lockTimeout: Double = 30) throws {
    guard isPart else { return }
    try translatingErrors(lockTimeout: lockTimeout) {
      // Nobody waits for a change of the journal, so the store has its own before others open it.
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
      try queue.close()
    }
    try takePlace()
    // The part's descriptor is closed first: closing any descriptor of a file drops the process's locks on it.
    connection.withLock { $0.part = nil }
    let placed = try Self.open(path: path, lockTimeout: lockTimeout).queue
    connection.withLock { $0.queue = placed }
  }

  private func takePlace() throws {
    guard let part = connection.withLock({ $0.part?.path }) else { return }
    guard !Self.isThere(path) else {
      throw StoreError.cannotOpen(
        path: path, reason: "another program has created it meanwhile; run the command again")
    }
    // They are of an earlier store at this path, and would damage this one.
    for suffix in ["-wal", "-shm", "-journal", ".seal"] { unlink(path + suffix) }
    guard isOnDisk(part), rename(part, path) == 0 else {
      if errno == ENOSPC || errno == EDQUOT { throw StoreError.fullAtStart(path: path) }
      throw StoreError.writeFailed(path: path, reason: SystemReason.text(errno, at: path))
    }
    _ = isOnDisk(folder)
  }
}

extension StoreError {
  /// The disk is full before a store has taken its place.
  static func fullAtStart(path: String) -> StoreError {
    let full = SystemReason.fullDisk(free: SystemReason.freeBytes(at: path))
    return .writeFailed(
      path: path,
      reason: "\(full), which is too little; nothing has been written: free some space and run the same command again")
  }
}

/// Flushes a file or folder to the disk and returns whether that succeeded.
func isOnDisk(_ path: String) -> Bool {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  defer { if descriptor >= 0 { close(descriptor) } }
  return descriptor >= 0 && fsync(descriptor) == 0
}
