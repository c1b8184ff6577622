internal import EventModel
internal import Foundation
internal import GRDB
internal import Ingest

/// Reads what is left of files that were read before with other settings; events that were taken stay as they are.
extension Ingestion {
  func readRest(_ commit: inout Commit, _ inputs: [InputFile], _ db: Database) throws {
    // It could not be undone after a preview.
    if confirm != nil { return }
    let stored = try ReadFiles(db, sources)
    for (path, digest) in commit.skipped {
      guard let file = stored.partly[digest] else { continue }
      var outcome: IngestSummary.ReadAgain.Outcome?
      if file.ignored > 0, file.source == SourceSettings.mappingSource,
        let input = inputs.first(where: { $0.path == path && $0.byteCount != nil })
      {
        outcome = try readIgnored(input, of: file, &commit.summary, db)
      }
      if outcome == nil, file.quarantined > 0 {
        let retried = try retry("WHERE rejected_line.file = \(file.id)", db)
        commit.summary.events += retried.events
        outcome = .quarantine(released: retried.released, remaining: retried.remaining.values.reduce(0, +))
        let reading = sources.reading(of: file.source)
        try db.execute(sql: "UPDATE file SET reading = ? WHERE id = ?", arguments: [reading, file.id])
      }
      commit.summary.readAgain.append(
        IngestSummary.ReadAgain(path: path, outcome: outcome ?? .quarantine(released: 0, remaining: 0)))
    }
  }

  /// Reads a file with records that the mapping before ignored, or rejected, in one transaction.
  ///
  /// - Returns: `nil` if the stored events are not found again.
  private func readIgnored(
    _ input: InputFile, of file: ReadFiles.File, _ summary: inout IngestSummary, _ db: Database
  ) throws -> IngestSummary.ReadAgain.Outcome? {
    var rejected: [String: Int] = [:]
    var events = 0
    var failure: String?
    var areKnown = true
    var kinds: [Int] = []
    try db.inTransaction(.immediate) {
      let writer = try EventWriter(db, storePath: store.path)
      writer.passedOver = 0
      let reader = BatchReader(
        inputs: [input], sources: sources, knownDigests: [], batchRecordLimit: Self.batchEvents)
      try RejectedRows.removeAll(of: file.id, db)
      while let batch = try reader.next() {
        observe?(batch)
        try writer.add(batch, file: file.id)
        for part in batch.parts {
          if case .failed(let reason) = part.outcome { failure = reason }
          try RejectedRows.insert(part, file: file.id, db, &rejected)
          if part.outcome == .complete {
            try db.execute(
              sql: "UPDATE file SET reading = ?, csv_header = ? WHERE id = ?",
              arguments: [part.reading, part.csvHeader.isEmpty ? nil : Data(part.csvHeader), file.id])
          }
        }
      }
      if failure != nil { return .rollback }
      // A mapping that gives the stored events other ids would store them twice.
      areKnown = (writer.passedOver ?? 0) >= file.taken
      if !areKnown { return .rollback }
      let counts = writer.counts[file.id] ?? LineCounts()
      events = counts.events - counts.joins
      kinds = writer.kinds
      try writer.finish()
      try CachedReports.clear(db)
      try db.execute(
        sql: "UPDATE file SET events = events + ?, quarantined = ? WHERE id = ?",
        arguments: [counts.events, rejected.values.reduce(0, +), file.id])
      return .commit
    }
    if let failure {
      summary.failures.append(IngestSummary.Failure(path: input.path, reason: failure))
      return .quarantine(released: 0, remaining: 0)
    }
    guard areKnown else { return nil }
    summary.events += events
    for kind in EventKind.allCases where kinds[Int(kind.rawValue)] > 0 {
      summary.kinds[kind.name, default: 0] += kinds[Int(kind.rawValue)]
    }
    summary.quarantined.merge(rejected, uniquingKeysWith: +)
    return .ignored(events: events, rejected: rejected.values.reduce(0, +))
  }
}
