internal import EventModel
internal import Foundation
internal import GRDB
internal import Ingest

/// The transactions of one ingest, one after another.
struct Commit {
  private var db: Database
  private let storePath: String
  var summary = IngestSummary()
  private var writer: EventWriter?
  private var isOpen = false
  private var dataVersion: Int?
  private var nextFile: Int64 = 0
  /// The complete files of the open transaction.
  private var files:
    [(id: Int64, part: FilePart, rejected: [String: Int], rejectedKinds: [String: Int], ignored: Int)] = []
  /// The number of events in the open transaction.
  private(set) var pendingEvents = 0
  /// The file that the last batch ended in the middle of.
  private var unfinished: (id: Int64, rejected: [String: Int], rejectedKinds: [String: Int], ignored: Int)?
  /// The values that the open transaction adds to the summary besides its files.
  private var failures: [IngestSummary.Failure] = []
  private var filesSkipped = 0
  private var reported = 0
  /// The path of the first file in the open transaction.
  private var firstPath: String?
  /// The paths that need a transaction of their own: inputs that can be read only once, and files that failed after a
  /// part was stored.
  private var alone: Set<String>
  private let confirm: ((IngestSummary) throws -> Bool)?
  /// Whether there has been a commit.
  private(set) var hasCommitted = false
  /// Whether ``confirm`` has undone a commit.
  private(set) var isUndone = false
  /// Files to read again, of which nothing was taken before.
  var anew: [[UInt8]: ReadFiles.File] = [:]
  private(set) var skipped: [(path: String, digest: [UInt8])] = []

  init(
    _ db: Database, storePath: String, inputs: [InputFile], confirm: ((IngestSummary) throws -> Bool)?
  ) {
    self.confirm = confirm
    self.db = db
    self.storePath = storePath
    alone = Set(inputs.filter { $0.byteCount == nil }.map(\.path))
  }

  /// Returns the commit as it is between two transactions, without anything that belongs to the connection.
  func closed() -> Commit {
    var closed = self
    closed.writer = nil
    closed.dataVersion = nil
    return closed
  }

  /// Returns a closed commit as one on another connection.
  func moved(to db: Database) -> Commit {
    var moved = self
    moved.db = db
    return moved
  }

  mutating func noteSkipped(_ files: [BatchReader.SkippedFile]) {
    summary.filesSkipped += files.count
    skipped += files.map { ($0.path, $0.digest) }
  }

  /// Stores parts of a batch, the last ones, and commits at the end of a file after `limit` events or `batches` batches.
  ///
  /// - Returns: The parts that are left to be stored after a commit.
  mutating func add(
    _ prepared: PreparedBatch, _ parts: Range<Int>, limit: Int, batches: Int
  ) throws -> Range<Int> {
    let batch = prepared.batch
    var first = parts.lowerBound
    // If this file is rolled back, so is the whole transaction; nothing after the file may be in it yet.
    if first < parts.upperBound, case let part = batch.parts[first], !part.isFirst, part.outcome != .complete,
      part.outcome != .unfinished
    {
      try add(prepared, parts: first..<first + 1)
      first += 1
    }
    // If the last file does not end here and its failure must not roll back the files before it, those are committed
    // first.
    if let last = batch.parts.last, last.outcome == .unfinished, last.isFirst,
      isOpen || first < batch.parts.count - 1,
      alone.contains(last.path) || (files.map(\.part) + batch.parts).contains(where: { alone.contains($0.path) })
    {
      try add(prepared, parts: first..<batch.parts.count - 1)
      try finish()
      return batch.parts.count - 1..<batch.parts.count
    }
    try add(prepared, parts: first..<batch.parts.count)
    if unfinished == nil, pendingEvents >= limit || writer?.spillFile.runs.count ?? 0 >= batches { try finish() }
    return 0..<0
  }

  private mutating func add(_ prepared: PreparedBatch, parts: Range<Int>) throws {
    if parts.isEmpty { return }
    let batch = prepared.batch
    try begin()
    firstPath = firstPath ?? batch.parts[parts.lowerBound].path
    guard let writer else { preconditionFailure("a transaction has a writer") }
    var files = [Int64](repeating: 0, count: batch.records.count)
    var ids: [Int64] = []
    for part in batch.parts[parts] {
      let id: Int64
      if part.isFirst || unfinished == nil {
        id = nextFile
        nextFile += 1
      } else {
        id = unfinished?.id ?? nextFile
      }
      for record in part.records { files[record] = id }
      writer.days.setSource(part.source, of: id)
      ids.append(id)
    }
    let records =
      batch.parts[parts.lowerBound].records.lowerBound..<batch.parts[parts.upperBound - 1].records.upperBound
    try writer.add(prepared, records: records, files: files)
    pendingEvents += records.count
    for (part, id) in zip(batch.parts[parts], ids) { try end(part, id: id) }
  }

  private mutating func end(_ part: FilePart, id: Int64) throws {
    var rejected = part.isFirst ? [:] : unfinished?.rejected ?? [:]
    var rejectedKinds = part.isFirst ? [:] : unfinished?.rejectedKinds ?? [:]
    for line in part.rejected { if let kind = line.event { rejectedKinds[kind, default: 0] += 1 } }
    let ignored = part.ignored + (part.isFirst ? 0 : unfinished?.ignored ?? 0)
    switch part.outcome {
    case .unfinished, .complete:
      try RejectedRows.insert(part, file: id, db, &rejected)
      try ReportedCounts.insert(part.counts, file: id, db)
      reported += part.counts.count
      if part.outcome == .complete {
        files.append((id, part, rejected, rejectedKinds, ignored))
        unfinished = nil
      } else {
        unfinished = (id, rejected, rejectedKinds, ignored)
      }
    case .failed(let reason):
      try dropUnfinished(part)
      failures.append(IngestSummary.Failure(path: part.path, reason: reason))
      try begin()
      if !part.isRemembered { return }
      // The failure of a file with the same bytes and reason is recorded once.
      let isKnown =
        try Bool.fetchOne(
          db, sql: "SELECT EXISTS (SELECT 1 FROM file WHERE path = ? AND digest = ? AND failure = ?)",
          arguments: [part.path, Data(part.digest), reason]) ?? false
      if isKnown { return }
      try db.execute(sql: "DELETE FROM file WHERE path = ? AND failure IS NOT NULL", arguments: [part.path])
      try db.execute(
        sql: "INSERT INTO file VALUES (?, ?, ?, ?, 0, 0, 0, 0, 0, ?, NULL, '', NULL)",
        arguments: [nextFile, part.path, Data(part.digest), part.byteCount, reason])
      nextFile += 1
    case .alreadyRead:
      try dropUnfinished(part)
      filesSkipped += 1
    }
  }

  /// Rolls back the earlier parts of a file that must not be ingested.
  private mutating func dropUnfinished(_ part: FilePart) throws {
    if part.isFirst || unfinished == nil { return }
    try db.rollback()
    let others = firstPath.flatMap { $0 == part.path ? nil : $0 }
    reset()
    // The numbers assigned in the transaction are invalid now.
    writer = nil
    guard let others else { return }
    alone.insert(part.path)
    throw Restart(firstPath: others)
  }

  private mutating func reset() {
    isOpen = false
    unfinished = nil
    firstPath = nil
    files.removeAll()
    failures.removeAll()
    reported = 0
    filesSkipped = 0
    pendingEvents = 0
  }

  private mutating func begin() throws {
    if isOpen { return }
    try db.beginTransaction(.immediate)
    isOpen = true
    let version = try Int.fetchOne(db, sql: "PRAGMA data_version")
    if version != dataVersion {
      // Another process has written, so cached knowledge of the store may be out of date.
      writer = nil
      dataVersion = version
    }
    if writer == nil {
      writer = try EventWriter(db, storePath: storePath)
      nextFile = (try Int64.fetchOne(db, sql: "SELECT MAX(id) FROM file") ?? 0) + 1
    }
  }

  /// Adds the open transaction to the summary.
  private mutating func note(_ writer: EventWriter) {
    summary.failures += failures
    summary.filesSkipped += filesSkipped
    summary.files += files.count
    for counts in writer.counts.values {
      summary.events += counts.events - counts.joins
      summary.joins += counts.joins
      summary.duplicates += counts.duplicates
      summary.conflicts += counts.conflicts
      if counts.conflicts > 0 { summary.quarantined["conflict", default: 0] += counts.conflicts }
    }
    for kind in EventKind.allCases where writer.kinds[Int(kind.rawValue)] > 0 {
      summary.kinds[kind.name, default: 0] += writer.kinds[Int(kind.rawValue)]
    }
    let joins = writer.counts.values.reduce(0) { $0 + $1.joins }
    if joins > 0 {
      let left = summary.kinds[EventKind.identify.name, default: 0] - joins
      summary.kinds[EventKind.identify.name] = left > 0 ? left : nil
    }
    summary.reported += reported
    for file in files {
      let rejected = file.rejected.values.reduce(0, +)
      let counts = writer.counts[file.id] ?? LineCounts()
      summary.quarantined.merge(file.rejected, uniquingKeysWith: +)
      summary.rejectedKinds.merge(file.rejectedKinds, uniquingKeysWith: +)
      summary.ignored += file.ignored
      summary.sources.insert(file.part.source)
      if file.part.lineCount == 0 { summary.emptyFiles.append(file.part.path) }
      if let old = anew[file.part.digest] {
        summary.readAgain.append(
          IngestSummary.ReadAgain(path: file.part.path, outcome: .anew(dropped: old.quarantined)))
      }
      if counts == LineCounts(), file.part.counts.isEmpty, rejected + file.ignored > 0 {
        summary.barren.append(
          IngestSummary.Barren(path: file.part.path, quarantined: rejected, ignored: file.ignored))
      }
    }
  }

  /// Commits the open transaction.
  mutating func finish(isLast: Bool = false) throws {
    guard isOpen, let writer else {
      summary.filesSkipped += filesSkipped
      filesSkipped = 0
      return
    }
    let before = summary
    note(writer)
    if let confirm, try !confirm(summary) {
      isUndone = true
      try db.rollback()
      self.writer = nil
      reset()
      return
    }
    try writer.finish(isLast: isLast)
    for file in files {
      if let old = anew[file.part.digest] {
        try RejectedRows.removeAll(of: old.id, db)
        try db.execute(sql: "DELETE FROM file WHERE id = ?", arguments: [old.id])
      }
      let counts = writer.counts[file.id] ?? LineCounts()
      let rejected = file.rejected.values.reduce(0, +)
      // An earlier failure under this path has been resolved.
      try db.execute(sql: "DELETE FROM file WHERE path = ? AND failure IS NOT NULL", arguments: [file.part.path])
      try db.execute(
        sql: "INSERT OR IGNORE INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?)",
        arguments: [
          file.id, file.part.path, Data(file.part.digest), file.part.byteCount, file.part.lineCount, counts.events,
          counts.duplicates, counts.conflicts, rejected,
          rejected > 0 && !file.part.csvHeader.isEmpty ? Data(file.part.csvHeader) : nil, file.part.source,
          file.part.reading,
        ])
    }
    // Some cached reports count lines and files, too.
    if !files.isEmpty { try CachedReports.clear(db) }
    do { try db.commit() } catch {
      summary = before
      throw error
    }
    hasCommitted = true
    writer.clearCounts()
    if isLast { self.writer = nil }
    reset()
  }
}

/// The files that a store has read, by the readings of now.
struct ReadFiles {
  struct File {
    var id: Int64
    var source: String
    var quarantined: Int
    /// Lines that were stored as events, or were known.
    var taken: Int
    /// Records that a mapping ignored, or that gave no event.
    var ignored: Int
  }

  /// The digests of files to skip.
  var known: Set<[UInt8]> = []
  /// Files that were read with other settings and of which nothing was taken.
  var anew: [[UInt8]: File] = [:]
  /// Files that were read with other settings and of which something was taken; also in ``known``.
  var partly: [[UInt8]: File] = [:]

  init(_ db: Database, _ sources: SourceSettings) throws {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT id, digest, source, reading, quarantined,
          events + duplicates + conflicts > 0 OR EXISTS (SELECT * FROM reported_count WHERE file = file.id),
          events + duplicates + conflicts, lines - events - duplicates - conflicts - quarantined
        FROM file WHERE failure IS NULL
        """)
    while let row = try rows.next() {
      let bytes: Data = try row.required(1)
      let digest = [UInt8](bytes)
      let file = try File(
        id: row.required(0), source: row.required(2), quarantined: row.required(4), taken: row.required(6),
        ignored: max(0, row.required(7)))
      let isTaken: Bool = try row.required(5)
      let reading: String = try row.optional(3) ?? file.source
      if reading == sources.reading(of: file.source) {
        known.insert(digest)
      } else if isTaken {
        known.insert(digest)
        partly[digest] = file
      } else {
        anew[digest] = file
      }
    }
  }
}

/// Signals that a partly stored file must not be ingested, and that its transaction, which had other files, was rolled
/// back.
struct Restart: Error {
  /// The path of the first file that has to be read again.
  let firstPath: String
}
