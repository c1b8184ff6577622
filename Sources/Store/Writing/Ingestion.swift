internal import CMalloc
public import EventModel
internal import Foundation
internal import GRDB
public import Ingest
internal import Synchronization

/// Ingests files into a store: one thread decodes, the caller's thread stores.
///
/// A transaction holds whole files, up to about ``commitEvents``, or ``firstCommitEvents`` in a new store. If a file fails after a part of it has been stored,
/// the transaction is rolled back and its files are read again, this time with the failing file in a transaction of its
/// own. Inputs that can be read only once have their own transaction from the start. The store is therefore always as
/// of the last whole file of a commit, and running the same command again completes the work. A new store takes its place
/// with the first commit.
///
/// Small files share a transaction because each commit folds the persons it touches again: with one commit per file, a
/// person who appears in a hundred daily files would be folded a hundred times.
public struct Ingestion {
  /// The number of events after which a commit is due, unless another is given.
  public static let commitEvents = 8_000_000
  /// The number for a new store until its first commit. Nobody waits for a store that is not in its place yet, and each
  /// further commit reads again what is stored of the users it touches.
  public static let firstCommitEvents = 64_000_000
  /// The number of batches after which a commit is due, too, unless a number of events is given: the fold holds a block of
  /// each, 140 KB.
  private static let commitBatches = 720
  /// The number of events that are sorted and stored together, or half of it if files are small; three batches are in
  /// memory at once.
  static let batchEvents = 100_000
  /// The bytes of texts and terms at which a batch ends: those of as many events with names that repeat.
  static let batchBytes = 12 << 20

  let store: Store
  let lockTimeout: Double

  private let givenCommitEvents: Int?
  private(set) var sources: SourceSettings
  /// Called with the summary before a commit; the commit is undone if it returns `false`.
  public var confirm: ((IngestSummary) throws -> Bool)?
  /// Called with each batch before it is stored.
  public var observe: ((EventBatch) -> Void)?

  /// - Parameters:
  ///   - lockTimeout: Seconds to wait while another process writes.
  ///   - commitEvents: The number of events after which a commit is due, at the end of a file; `nil` for ``commitEvents``,
  ///     and ``firstCommitEvents`` until a new store takes its place.
  public init(
    store: Store, lockTimeout: Double = 30, commitEvents: Int? = nil,
    sources: SourceSettings = SourceSettings()
  ) {
    self.sources = sources
    // Beside the store, so that what is copied is on its disk.
    self.sources.copyFolder = sources.copyFolder ?? URL(fileURLWithPath: store.path).deletingLastPathComponent().path
    self.store = store
    self.lockTimeout = lockTimeout
    givenCommitEvents = commitEvents
  }

  private var commitEvents: Int {
    givenCommitEvents ?? (store.isPart ? Self.firstCommitEvents : Self.commitEvents)
  }

  /// Ingests the inputs in order.
  ///
  /// - Parameter progress: Called on this thread after each batch, with the reader and the number of events read so
  ///   far.
  /// - Throws: ``StoreError``; files that cannot be read are failures in the summary, not errors.
  public func run(
    _ inputs: [InputFile], progress: ((BatchReader, _ events: Int) -> Void)? = nil
  ) throws -> IngestSummary {
    // Freed memory goes back to the system; else each thread keeps up to 64 MB.
    _ = mallopt(M_MMAP_THRESHOLD, 32 << 20)
    _ = mallopt(M_TRIM_THRESHOLD, 4 << 20)
    var left = inputs[...]
    var decoding: Decoding?
    var first: Commit?
    if store.isPart {
      try store.write(lockTimeout: lockTimeout) { db in
        var commit = Commit(db, storePath: store.path, inputs: inputs, confirm: confirm)
        try read(&left, &decoding, into: &commit, db, progress)
        // It looks only at tables that its connection has used.
        try optimize(db)
        first = commit.closed()
      }
      try store.publish(lockTimeout: lockTimeout)
    }
    return try store.write(lockTimeout: lockTimeout) { db in
      var commit = first?.moved(to: db) ?? Commit(db, storePath: store.path, inputs: inputs, confirm: confirm)
      try read(&left, &decoding, into: &commit, db, progress)
      if !commit.isUndone { try readRest(&commit, inputs, db) }
      try optimize(db)
      return commit.summary
    }
  }

  /// Gives the query planner a sample of each index; without the limit, it would read all entries.
  ///
  /// SQLite does not wait where another process commits between its reading and its writing. The planner then keeps the
  /// earlier sample, and the next ingest makes a new one.
  private func optimize(_ db: Database) throws {
    do {
      try db.execute(sql: "PRAGMA analysis_limit = 1000; PRAGMA optimize")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
  }

  /// Reads what is left of the inputs; into a store that is made in a part, up to the first commit.
  private func read(
    _ left: inout ArraySlice<InputFile>, _ decoding: inout Decoding?, into commit: inout Commit, _ db: Database,
    _ progress: ((BatchReader, _ events: Int) -> Void)?
  ) throws {
    while !left.isEmpty {
      let current = try decoding ?? decode(left, &commit, db)
      decoding = nil
      do {
        while let (batch, parts) = try current.next(observe) {
          current.rest = try commit.add(
            batch, parts, limit: commitEvents, batches: givenCommitEvents == nil ? Self.commitBatches : .max)
          if current.rest.isEmpty { progress?(current.reader, commit.summary.events + commit.pendingEvents) }
          if store.isPart && commit.hasCommitted {
            decoding = current
            return
          }
        }
        try commit.finish(isLast: true)
        commit.noteSkipped(current.reader.skipped)
        left = []
      } catch let restart as Restart {
        current.end()
        // The files from there on are read again.
        let done = Set(left.prefix { $0.path != restart.firstPath }.map(\.path))
        commit.noteSkipped(current.reader.skipped.filter { done.contains($0.path) })
        left = left.drop { $0.path != restart.firstPath }
      } catch {
        if db.isInsideTransaction { try? db.rollback() }
        throw error
      }
    }
  }

  private func decode(_ inputs: ArraySlice<InputFile>, _ commit: inout Commit, _ db: Database) throws -> Decoding {
    let stored = try ReadFiles(db, sources)
    commit.anew = stored.anew
    return Decoding(
      BatchReader(
        inputs: Array(inputs), sources: sources, knownDigests: stored.known,
        batchRecordLimit: min(Self.batchEvents, commitEvents * 2), batchByteLimit: Self.batchBytes))
  }
}

/// The inputs of an ingest that are being decoded, on a thread of their own.
private final class Decoding {
  let reader: BatchReader
  private let queue: BatchQueue<EventBatch>
  /// A stored batch, whose memory the next one takes.
  private let stored: StoredBatch
  private var batch: PreparedBatch?
  /// The parts of the batch that are still to be stored.
  var rest = 0..<0

  init(_ reader: BatchReader) {
    self.reader = reader
    let stored = StoredBatch()
    self.stored = stored
    queue = BatchQueue<EventBatch>.filled(capacity: 1, thread: "decode") { put in
      while let batch = try reader.next() {
        try put(batch)
        if let batch = stored.take() { reader.recycle(batch) }
      }
    }
  }

  deinit { queue.cancel() }

  /// Returns the parts to store next.
  func next(_ observe: ((EventBatch) -> Void)?) throws -> (PreparedBatch, Range<Int>)? {
    if let batch, !rest.isEmpty { return (batch, rest) }
    stored.put(batch?.batch)
    batch = nil
    guard let next = try queue.take() else {
      stored.put(nil)
      return nil
    }
    observe?(next)
    let prepared = PreparedBatch(next)
    batch = prepared
    return (prepared, next.parts.indices)
  }

  /// Ends the thread and waits for it.
  func end() {
    queue.cancel()
    queue.join()
  }
}

/// A batch on its way back to the thread that decodes.
private final class StoredBatch: Sendable {
  private let batch = Mutex<EventBatch?>(nil)

  func put(_ stored: EventBatch?) { batch.withLock { $0 = stored } }

  func take() -> EventBatch? {
    batch.withLock { batch in
      defer { batch = nil }
      return batch
    }
  }
}
