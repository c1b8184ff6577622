public import Basics

/// A reason why a store cannot be used, with the next step for the user.
public enum StoreError: ReadableError, Equatable {
  case notFound(path: String)
  case isFolder(path: String)
  case cannotOpen(path: String, reason: String)
  case notAStore(path: String)
  case newerThanProgram(path: String, version: Int, supported: Int)
  case locked(path: String, seconds: Double)
  case damaged(path: String, reason: String)
  /// The store is damaged in a part that cannot be derived from the rest.
  case beyondRepair(path: String, reason: String)
  /// Pages, numbered from 1, are others than when the store was sealed.
  case sealBroken(path: String, pages: [Int])
  /// There is a seal that cannot be read.
  case sealDamaged(path: String)
  /// Beside a sealed store lies a log with a commit, which would have broken the seal.
  case logBesideSeal(path: String)
  /// - Parameters:
  ///   - free: The bytes left on the disk.
  ///   - needed: The bytes that the command needs; `nil` if that is not known.
  case full(path: String, free: Int64?, needed: Int64? = nil)
  case writeFailed(path: String, reason: String)
  /// A statement cannot be carried out.
  case queryFailed(path: String, reason: String)
  /// A backup cannot be written under this name.
  case wrongTarget(path: String, reason: String)
  /// Reading took longer than the caller allows.
  case tooSlow(path: String)
  /// The store has facts that were folded elsewhere, but the request needs events.
  case hasNoEvents

  public var description: String {
    switch self {
    case .notFound(let path):
      "\(path): no such store; create it with `tollgate init --store \(path.shellWord) FILE`, or name another with --store"
    case .isFolder(let path):
      "\(path) is a folder; name a file in it with --store"
    case .cannotOpen(let path, let reason):
      "\(path): cannot be opened: \(reason)"
    case .notAStore(let path):
      "\(path) is not a tollgate store; name another file with --store"
    case .newerThanProgram(let path, let version, let supported):
      "\(path) is a store of version \(version), but this program reads versions up to \(supported); update tollgate"
    case .locked(let path, let seconds):
      "\(path): another process has been using it for \(seconds) s; try again later, or wait longer with --lock-timeout"
    case .damaged(let path, let reason):
      "\(path) is damaged: \(reason). Run `tollgate doctor --repair --store \(path.shellWord)`."
    case .beyondRepair(let path, let reason):
      "\(path) is damaged: \(reason). \(Self.restoring)"
    case .sealBroken(let path, let pages):
      "\(path) is damaged: \(Self.changed(pages)). \(Self.restoring) If you just copied a backup here, copy its .seal "
        + "file, too, or remove \(PageChecksums.path(of: path))."
    case .sealDamaged(let path):
      "\(PageChecksums.path(of: path)) is damaged, so tollgate cannot tell whether \(path) is as it was sealed. \(Self.restoring) "
        + "Or remove the .seal file to read the store without this check."
    case .logBesideSeal(let path):
      "\(path) is sealed, but \(path)-wal has changes that do not belong to this seal: the numbers would be of another state. "
        + "To read the sealed state, such as a restored backup, remove \(path)-wal and \(path)-shm. After a crash of the "
        + "machine, remove \(PageChecksums.path(of: path)) instead."
    case .full(let path, let free, let needed):
      "\(path): \(SystemReason.fullDisk(free: free, needed: needed)); the store has every file up to the last complete "
        + "one; free some space and run the same command again"
    case .writeFailed(let path, let reason):
      "\(path): cannot be written: \(reason)"
    case .queryFailed(let path, let reason):
      "\(path): cannot answer this: \(reason); check the store with `tollgate doctor`"
    case .wrongTarget(let path, let reason): "\(path): \(reason)"
    case .tooSlow(let path):
      "\(path): reading took longer than the time limit; ask for fewer apps or days, or raise the limit"
    case .hasNoEvents:
      "this report reads events, but the store has none; create a store from the event files"
    }
  }

  /// Returns the error for a store that is not there, or that this user cannot see.
  public static func absent(_ path: String) -> StoreError {
    guard let reason = SystemReason.permission(at: path, isWritten: false) else { return .notFound(path: path) }
    return .cannotOpen(path: path, reason: reason)
  }

  private static let restoring = "Restore a backup, or ingest the event files into a new store."

  /// Returns a clause with the first of the pages that have changed.
  private static func changed(_ pages: [Int]) -> String {
    if pages.count == 1 { return "page \(pages[0]) has changed since it was sealed" }
    let list = pages.prefix(5).map(String.init).joined(separator: ", ")
    return pages.count > 5
      ? "\(pages.count) pages have changed since they were sealed, such as \(list)"
      : "pages \(list) have changed since they were sealed"
  }
}
