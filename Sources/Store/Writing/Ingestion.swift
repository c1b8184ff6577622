public import EventModel
internal import Foundation
internal import GRDB
public import Ingest

/// Ingests files into a store: one thread decodes, the caller's thread stores.
///
/// A transaction holds whole files, up to about ``commitEvents``. If a file fails after a part of it has been stored,
/// the transaction is rolled back and its files are read again, this time with the failing file in a transaction of its
/// own. Inputs that can be read only once have their own transaction from the start. The store is therefore always as
/// of the last whole file of a commit, and running the same command again completes the work.
///
/// Small files share a transaction because each commit folds the persons it touches again: with one commit per file, a
/// person who appears in a hundred daily files would be folded a hundred times.
public struct Ingestion {
  /// The number of events after which a commit is due.
  public static let commitEvents = 8_000_000
  /// The number of events that are sorted and stored together, or half of it if files are small; three batches are in
  /// memory at once.
  static let batchEvents = 200_000

  let store: Store
  let lockTimeout: Double

  let commitEvents: Int
  private(set) var sources: SourceSettings
  /// Called with the summary before a commit; the commit is undone if it returns `false`.
  public var confirm: ((IngestSummary) throws -> Bool)?
  /// Called with each batch before it is stored.
  public var observe: ((EventBatch) -> Void)?

  /// - Parameters:
  ///   - lockTimeout: Seconds to wait while another process writes.
  ///   - commitEvents: The number of events after which a commit is due, at the end of a file.
  ///   - sources: The settings for reading vendors' files.
  public init(
    store: Store, lockTimeout: Double = 30, commitEvents: Int = Ingestion.commitEvents,
    sources: SourceSettings = SourceSettings()
  ) {
    self.sources = sources
    // Beside the store, so that what is copied is on its disk.
    self.sources.copyFolder = sources.copyFolder ?? URL(fileURLWithPath: store.path).deletingLastPathComponent().path
    self.store = store
    self.lockTimeout = lockTimeout
    self.commitEvents = commitEvents
  }

  /// Ingests the inputs in order.
  ///
  /// - Parameter progress: Called on this thread after each batch, with the reader and the number of events read so
  ///   far.
  /// - Throws: ``StoreError``; files that cannot be read are failures in the summary, not errors.
  public func run(
    _ inputs: [InputFile], progress: ((BatchReader, _ events: Int) -> Void)? = nil
  ) throws -> IngestSummary {
    try translatingErrors { db in
      var commit = Commit(db, storePath: store.path, inputs: inputs, confirm: confirm)
      var left = inputs[...]
      while !left.isEmpty {
        do {
          try read(left, into: &commit, db, progress)
          left = []
        } catch let restart as Restart {
          left = left.drop { $0.path != restart.firstPath }
        } catch {
          if db.isInsideTransaction { try? db.rollback() }
          throw error
        }
      }
      if !commit.isUndone { try readRest(&commit, inputs, db) }
      // The query planner needs only a sample of each index; without the limit, it would read all entries.
      try db.execute(sql: "PRAGMA analysis_limit = 1000; PRAGMA optimize")
      return commit.summary
    }
  }

  private func read(
    _ inputs: ArraySlice<InputFile>, into commit: inout Commit, _ db: Database,
    _ progress: ((BatchReader, _ events: Int) -> Void)?
  ) throws {
    let stored = try ReadFiles(db, sources)
    let known = stored.known
    commit.anew = stored.anew
    let reader = BatchReader(
      inputs: Array(inputs), sources: sources, knownDigests: known,
      batchRecordLimit: min(Self.batchEvents, commitEvents * 2))
    let queue = BatchQueue<EventBatch>.filled(capacity: 1, thread: "decode") { put in
      while let batch = try reader.next() { try put(batch) }
    }
    defer { queue.cancel() }
    do {
      while let batch = try queue.take() {
        observe?(batch)
        try commit.add(PreparedBatch(batch), limit: commitEvents)
        progress?(reader, commit.summary.events + commit.pendingEvents)
      }
      try commit.finish()
      commit.summary.filesSkipped += reader.skipped.count
      commit.skipped += reader.skipped.map { ($0.path, $0.digest) }
    } catch let restart as Restart {
      queue.cancel()
      queue.join()
      // The files from here on are read again.
      let done = Set(inputs.prefix { $0.path != restart.firstPath }.map(\.path))
      commit.summary.filesSkipped += reader.skipped.count { done.contains($0.path) }
      commit.skipped += reader.skipped.filter { done.contains($0.path) }.map { ($0.path, $0.digest) }
      throw restart
    }
  }
}
