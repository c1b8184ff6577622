internal import Foundation
internal import GRDB
internal import Ingest

/// Which content a store has: another one after each commit, and after another file took its name.
///
/// It tells contents apart that one ``StoreWatch`` has seen, and no others.
public struct StoreVersion: Hashable, Sendable {
  /// How often the file was opened.
  fileprivate var opening: Int
  /// SQLite's `data_version`: another one after each commit of another connection.
  fileprivate var commit: Int64
}

/// Looks whether a store has changed, some microseconds a look.
public final class StoreWatch: @unchecked Sendable {
  private let path: String
  /// Guards what follows.
  private let lock = NSLock()
  private var opened: (store: Store, file: FileIdentity?)?
  private var openings = 0

  public init(path: String) { self.path = path }

  /// - Throws: ``StoreError`` when the store cannot be read.
  public func version() throws -> StoreVersion {
    lock.lock()
    defer { lock.unlock() }
    let file = FileIdentity(path: path)
    if opened == nil || opened?.file != file {
      opened = nil
      let store = try Store.open(readOnly: path)
      opened = (store, file)
      openings += 1
    }
    guard let store = opened?.store else { throw StoreError.notFound(path: path) }
    let commit = try store.translatingErrors {
      try store.queue.unsafeRead { try Int64.fetchOne($0, sql: "PRAGMA data_version") ?? 0 }
    }
    return StoreVersion(opening: openings, commit: commit)
  }
}
