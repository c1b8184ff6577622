internal import Foundation
internal import GRDB
internal import Ingest

/// A version of a store's content, which changes with each commit and when another file takes the store's name.
///
/// Only versions from the same ``StoreWatch`` can be compared.
public struct StoreVersion: Hashable, Sendable {
  /// The number of times that the file was opened.
  fileprivate var opening: Int
  /// SQLite's `data_version`, which changes with each commit of another connection.
  fileprivate var commit: Int64
}

/// Checks whether a store has changed; a check takes some microseconds.
public final class StoreWatch: @unchecked Sendable {
  private let path: String
  /// Guards the fields below.
  private let lock = NSLock()
  private var opened: (store: Store, file: FileIdentity?)?
  private var openings = 0

  public init(path: String) { self.path = path }

  /// Returns the current version.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read.
  public func version() throws -> StoreVersion {
    lock.lock()
    defer { lock.unlock() }
    let file = FileIdentity(path: path)
    if opened == nil || opened?.file != file || opened?.store.isWrittenUnlocked == true {
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
