internal import EventModel
internal import Foundation
internal import GRDB
internal import Ingest

extension Ingestion {
  public struct RetrySummary: Sendable, Equatable {
    /// The number of lines that are events now.
    public var released = 0
    /// The number of lines that are still invalid, by reason.
    public var remaining: [String: Int] = [:]
    /// The number of lines that only the mapping of their file can read.
    public var unread = 0
    /// The number of new events.
    public var events = 0
  }

  /// Reads quarantined lines again with the rules of this program, in one transaction. Lines that are valid now become
  /// events of their files. Conflicts stay, because no rule of the program can resolve them.
  ///
  /// - Parameter ids: The lines to read; `nil` for all.
  public func retryQuarantine(ids: [Int64]?) throws -> RetrySummary {
    let wanted = ids.map { "WHERE rejected_line.id IN (\($0.map(String.init).joined(separator: ", ")))" } ?? ""
    return try store.write(lockTimeout: lockTimeout) { db in try retry(wanted, db) }
  }

  /// - Parameter wanted: The condition on the lines in SQL.
  func retry(_ wanted: String, _ db: Database) throws -> RetrySummary {
    var summary = RetrySummary()
    try db.inTransaction(.immediate) {
      let writer = try EventWriter(db, storePath: store.path)
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT rejected_line.id, file, line, raw, csv_header, path
          FROM rejected_line
          JOIN file ON file.id = rejected_line.file
          \(wanted)
          ORDER BY rejected_line.id
          """)
      for row in rows {
        let raw: Data = try row.required(3)
        let file: Int64 = try row.required(1)
        let header: Data? = try row.optional(4)
        let (number, path): (Int, String) = try (row.required(2), row.required(5))
        guard let decoder = EventDecoder(csvHeader: header.map { [UInt8]($0) } ?? [], sources: sources, path: path)
        else {
          summary.unread += 1
          continue
        }
        if let rejected = decoder.decode([UInt8](raw), number: number) {
          summary.remaining[rejected.reason, default: 0] += 1
          continue
        }
        try writer.add(decoder.takeBatch(), file: file)
        try ReportedCounts.insert(decoder.counts, file: file, db, replacesDays: false)
        let id: Int64 = try row.required(0)
        try db.execute(sql: "DELETE FROM rejected_line WHERE id = ?", arguments: [id])
        try db.execute(sql: "UPDATE file SET quarantined = quarantined - 1 WHERE id = ?", arguments: [file])
        summary.released += 1
      }
      try writer.finish()
      try CachedReports.clear(db)
      for (file, counts) in writer.counts {
        summary.events += counts.events - counts.joins
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
