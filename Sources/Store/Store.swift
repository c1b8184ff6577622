internal import Basics
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// One SQLite file with everything that was ingested and everything derived from it.
public final class Store: Sendable {
  public let path: String
  /// The connection, which ``publish(lockTimeout:)`` replaces, and the part that the store is made in.
  let connection: Mutex<(queue: DatabaseQueue, part: PartFile?)>
  /// The folder of the store, or of the store that this one was copied from.
  let folder: String

  var queue: DatabaseQueue { connection.withLock { $0.queue } }

  /// The file as it was opened without SQLite's locks; `nil` where they protect the reader.
  private let unlocked: UnlockedFile?

  private init(
    path: String, queue: DatabaseQueue, folder: String? = nil, part: PartFile? = nil, unlocked: UnlockedFile? = nil
  ) {
    (self.path, self.unlocked) = (path, unlocked)
    connection = Mutex((queue, part))
    self.folder = folder ?? URL(fileURLWithPath: path).deletingLastPathComponent().path
  }

  deinit {
    // It has not taken its place.
    connection.withLock { if let part = $0.part { unlink(part.path) } }
  }

  /// Returns the store as one that lies beside the files of another.
  func beside(_ folder: String) -> Store { Store(path: path, queue: queue, folder: folder, unlocked: unlocked) }

  /// Whether another user has written to a store that was opened without SQLite's locks.
  var isWrittenUnlocked: Bool { unlocked.map { $0 != UnlockedFile(path) } ?? false }

  /// Up to this size a sealed store's pages are compared with the seal by whoever opens it: some hundredths of a second.
  static let sealCheckedBytes: Int64 = 128 << 20

  /// Opens the store for reading. Nothing is written, not even a newer schema.
  ///
  /// - Throws: ``StoreError/sealBroken(path:pages:)`` where pages of a store up to ``sealCheckedBytes`` are others than
  ///   those that were sealed.
  public static func open(readOnly path: String) throws -> Store {
    guard FileManager.default.fileExists(atPath: path) else { throw StoreError.absent(path) }
    try requireWholeSealIfSmall(of: path)
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(30)
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 1073741824; PRAGMA cache_size = -65536")
    }
    let store = try openForReading(path, configuration)
    try store.translatingErrors(lockTimeout: 30) {
      try store.queue.unsafeRead { db in
        let version = try Schema.userVersion(db)
        if version < Schema.version {
          throw StoreError.cannotOpen(
            path: path,
            reason:
              "it is of version \(version), and this program reads \(Schema.version); run `tollgate ingest` on it once")
        }
      }
    }
    return store
  }

  private static func requireWholeSealIfSmall(of path: String) throws {
    let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64
    if size ?? 0 <= sealCheckedBytes { try requireWholeSeal(of: path) }
  }

  /// Opens the store for reading. SQLite's log needs files next to the store; in a folder that this user may not write to,
  /// the file is read without them while nobody writes to it.
  private static func openForReading(_ path: String, _ configuration: Configuration) throws -> Store {
    do {
      return try open(path, configuration, lockTimeout: 30)
    } catch StoreError.cannotOpen(_, let reason) where !FileManager.default.fileExists(atPath: path + "-shm") {
      if access(path, R_OK) != 0 { throw StoreError.cannotOpen(path: path, reason: reason) }
      let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
      let log = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int64
      let name = URL(fileURLWithPath: path).path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
      guard log ?? 0 == 0, access(folder, W_OK) != 0, let name else {
        throw StoreError.cannotOpen(
          path: path,
          reason:
            "\(reason). Reading creates two files next to it, \(path)-wal and -shm"
        )
      }
      return try open(path, configuration, lockTimeout: 30, uri: "file:\(name)?immutable=1")
    }
  }

  /// Opens the store for writing, and creates it if it does not exist.
  ///
  /// - Parameter lockTimeout: Seconds to wait while another process writes.
  /// - Throws: ``StoreError/sealBroken(path:pages:)`` as for reading.
  public static func open(path: String, lockTimeout: Double = 30) throws -> Store {
    var configuration = Configuration()
    configuration.busyMode = .timeout(lockTimeout)
    configuration.prepareDatabase { db in
      // WAL: readers are never blocked and see the last commit. NORMAL: a commit survives a crash of the process
      // immediately, and a crash of the machine after the next checkpoint; the store stays consistent in both cases.
      try db.execute(
        sql: """
          PRAGMA synchronous = NORMAL;
          PRAGMA cache_size = -8192;
          PRAGMA wal_autocheckpoint = 16384;
          """)
      db.add(transactionObserver: SealBreaker(store: path), extent: .databaseLifetime)
    }
    let isNew = !FileManager.default.fileExists(atPath: path)
    if isNew {
      let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
      guard FileManager.default.fileExists(atPath: directory) else {
        let reason = SystemReason.permission(at: path) ?? "the folder \(directory) does not exist"
        throw StoreError.cannotOpen(path: path, reason: reason)
      }
      // A store that another process is making comes first.
      let part = try lockPart(of: path, lockTimeout: lockTimeout)
      createPrivateFile(path)
      if let part { unlink(part.path) }
    } else {
      // A commit would remove the seal, and what has changed would be told as sound.
      try requireWholeSealIfSmall(of: path)
    }
    let store = try open(path, configuration, lockTimeout: lockTimeout)
    try store.write(lockTimeout: lockTimeout) { db in
      if try String.fetchOne(db, sql: "PRAGMA journal_mode") != "wal" {
        // The store is new or a copy. This changes the first page without a commit, so the seal must be removed here.
        unlink(PageChecksums.path(of: path))
        try db.execute(sql: "PRAGMA journal_mode = WAL")
      }
      try Schema.migrate(db) { try store.rebuildDerived(db) }
    }
    return store
  }

  /// - Parameters:
  ///   - uri: The file to open instead of the one at the path.
  ///   - part: The part that the store is made in.
  static func open(
    _ path: String, _ configuration: Configuration, lockTimeout: Double, uri: String? = nil, part: PartFile? = nil
  ) throws -> Store {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      // SQLite would wait for somebody to write to a pipe.
      throw status.st_mode & S_IFMT == S_IFDIR ? StoreError.isFolder(path: path) : .notAStore(path: path)
    }
    let queue: DatabaseQueue
    do {
      queue = try DatabaseQueue(path: uri ?? part?.path ?? path, configuration: configuration)
    } catch let error as DatabaseError {
      throw translate(error, path: path, lockTimeout: lockTimeout)
    }
    let store = Store(path: path, queue: queue, part: part, unlocked: uri.map { _ in UnlockedFile(path) })
    try store.translatingErrors(lockTimeout: lockTimeout) {
      try queue.unsafeRead { db in
        let id = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let version = try Schema.userVersion(db)
        let isEmpty = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_schema") == 0
        if id != Schema.applicationID && !(isEmpty && id == 0 && version == 0 && !configuration.readonly) {
          throw StoreError.notAStore(path: path)
        }
        if version < 1 && !isEmpty {
          throw StoreError.beyondRepair(path: path, reason: "its version is \(version), but must be at least 1")
        }
        if version > 0 && version < Schema.firstVersion {
          throw StoreError.cannotOpen(
            path: path,
            reason: "it was made by a version before the first release; ingest the event files into a new store")
        }
        if version > Schema.version {
          throw StoreError.newerThanProgram(path: path, version: version, supported: Schema.version)
        }
      }
    }
    return store
  }

  /// Changes the database outside of a transaction.
  ///
  /// - Throws: ``StoreError``.
  func write<Result>(lockTimeout: Double = 30, _ body: (Database) throws -> Result) throws -> Result {
    try translatingErrors(lockTimeout: lockTimeout) { try queue.writeWithoutTransaction(body) }
  }

  /// Runs `body` and translates SQLite's errors into errors about this store.
  func translatingErrors<Result>(lockTimeout: Double = 30, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      let translated = Self.translate(error, path: path, lockTimeout: lockTimeout)
      guard case .full = translated, isPart else { throw translated }
      throw StoreError.fullAtStart(path: path)
    } catch is RowDecodingError {
      throw StoreError.damaged(path: path, reason: "a column has a value of another type")
    }
  }

  private static func translate(_ error: DatabaseError, path: String, lockTimeout: Double) -> StoreError {
    if error.isOfFullDisk(beside: path) {
      return .full(path: path, free: SystemReason.freeBytes(at: path))
    }
    // No sum over sound rows is.
    if error.resultCode == .SQLITE_ERROR, error.message == "integer overflow" {
      return .damaged(path: path, reason: "a sum is greater than any that rows can have")
    }
    return switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: .locked(path: path, seconds: lockTimeout)
    case .SQLITE_CORRUPT: .damaged(path: path, reason: error.message ?? "\(error)")
    case .SQLITE_NOTADB: .notAStore(path: path)
    case .SQLITE_INTERRUPT: .tooSlow(path: path)
    case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH:
      .cannotOpen(path: path, reason: SystemReason.permission(at: path) ?? error.message ?? "\(error)")
    // Every statement is made for the tables of the store's version, which has been checked.
    case .SQLITE_ERROR where error.message?.hasPrefix("no such ") ?? false:
      .damaged(path: path, reason: "its tables are not those of its version: \(error.message ?? "")")
    case .SQLITE_ERROR where error.message == "unsupported file format":
      .damaged(path: path, reason: "its head names a file format that no store has")
    case .SQLITE_ERROR: .queryFailed(path: path, reason: error.message ?? "\(error)")
    default: .writeFailed(path: path, reason: (error.message ?? "\(error)") + error.fileLimit)
    }
  }

  /// The number of SQLite's steps between two checks of the clock: some tens of microseconds.
  private static let stepsBetweenLooks: Int32 = 10_000

  /// Reads the store as of one instant, and interrupts the read if it is not finished at the deadline.
  ///
  /// - Throws: ``StoreError/tooSlow(path:)`` at the deadline, and any error that `body` throws.
  public func read<Result>(
    until deadline: ContinuousClock.Instant, _ body: (StoreSnapshot) throws -> Result
  ) throws -> Result {
    try withUnsafePointer(to: deadline) { deadline in
      try read { snapshot in
        let connection = snapshot.db.sqliteConnection
        sqlite3_progress_handler(
          connection, Self.stepsBetweenLooks,
          { deadline in
            let deadline = deadline?.load(as: ContinuousClock.Instant.self)
            return deadline.map { ContinuousClock.now > $0 } ?? false ? 1 : 0
          }, UnsafeMutableRawPointer(mutating: deadline))
        defer { sqlite3_progress_handler(connection, 0, nil, nil) }
        return try body(snapshot)
      }
    }
  }
}

extension DatabaseError {
  /// The process's limit of the size of files as a possible cause of an I/O error, and what to do; else empty.
  var fileLimit: String {
    var limit = rlimit()
    guard resultCode == .SQLITE_IOERR, getrlimit(fileSizeResource, &limit) == 0, limit.rlim_cur < UInt64(Int64.max)
    else { return "" }
    return "; files may have \(limit.rlim_cur) bytes at most (ulimit -f): raise that limit and run the command again"
  }

  /// Returns whether a file's disk is full. Writing to a memory-mapped file, such as the log's index, fails with an I/O
  /// error then.
  func isOfFullDisk(beside path: String) -> Bool {
    if resultCode == .SQLITE_FULL { return true }
    guard resultCode == .SQLITE_IOERR else { return false }
    var system = statvfs()
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    return statvfs(folder, &system) == 0 && UInt64(system.f_bavail) * UInt64(system.f_frsize) < 1 << 20
  }
}

#if canImport(Glibc)
  private let fileSizeResource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
#else
  private let fileSizeResource = RLIMIT_FSIZE
#endif

/// The state of a file, which tells one that was written to from the one that was opened.
private struct UnlockedFile: Equatable {
  private var inode: UInt64 = 0
  private var size: Int64 = 0
  private var changedAt: [Int] = []

  init(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    (inode, size) = (UInt64(status.st_ino), Int64(status.st_size))
    #if canImport(Glibc)
      changedAt = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    #else
      changedAt = [status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec]
    #endif
  }
}

/// Creates an empty file for its owner only, because events are personal data; SQLite gives the files next to it the
/// same mode. If that fails, opening the store reports why.
private func createPrivateFile(_ path: String) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { return }
  // A umask may have removed the owner's permissions.
  fchmod(descriptor, 0o600)
  close(descriptor)
}
