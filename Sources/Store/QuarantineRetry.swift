internal import EventModel
internal import Foundation
internal import GRDB
internal import Ingest

extension Ingestion {
  /// What a retry did.
  public struct RetrySummary: Sendable, Equatable {
    /// Lines that are events now.
    public var released = 0
    /// Lines that are still wrong, by reason.
    public var remaining: [String: Int] = [:]
  }

  /// Reads lines in quarantine again by the rules of this program, in one transaction: those that are valid now become
  /// events of their files. Lines of CSV files lack their header, and conflicts have no rule to mend them: both stay.
  ///
  /// - Parameter ids: Which lines; `nil` for all.
  public func retryQuarantine(ids: [Int64]?) throws -> RetrySummary {
    try translatingErrors { db in
      var summary = RetrySummary()
      try db.inTransaction(.immediate) {
        let writer = try EventWriter(db)
        let wanted = ids.map { "WHERE id IN (\($0.map(String.init).joined(separator: ", ")))" } ?? ""
        let rows = try Row.fetchAll(db, sql: "SELECT id, file, line, raw FROM rejected_line \(wanted) ORDER BY id")
        for row in rows {
          let raw: Data = row[3]
          let batch = EventBatch()
          var decoder = EventDecoder()
          if let rejected = decoder.decode([UInt8](raw), into: batch) {
            summary.remaining[rejected.reason, default: 0] += 1
            continue
          }
          let file: Int64 = row[1]
          batch.records[0].line = row[2]
          let resolved = try writer.dictionaries.resolve(batch, users: writer.users)
          try writer.add(batch, resolved: resolved, records: 0..<1) { _ in file }
          let id: Int64 = row[0]
          try db.execute(sql: "DELETE FROM rejected_line WHERE id = ?", arguments: [id])
          try db.execute(sql: "UPDATE file SET quarantined = quarantined - 1 WHERE id = ?", arguments: [file])
          summary.released += 1
        }
        try writer.finish()
        for (file, counts) in writer.counts {
          try db.execute(
            sql: """
              UPDATE file SET events = events + ?, duplicates = duplicates + ?, conflicts = conflicts + ? WHERE id = ?
              """, arguments: [counts.events, counts.duplicates, counts.conflicts, file])
        }
        return .commit
      }
      return summary
    }
  }

  func translatingErrors<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try store.translatingErrors(lockTimeout: lockTimeout) {
      try store.queue.writeWithoutTransaction { db in try body(db) }
    }
  }
}
