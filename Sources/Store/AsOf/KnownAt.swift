internal import Foundation
internal import GRDB

/// A point in the store's past: the end of an ingested file, or an instant of receipt.
public enum KnownAt: Hashable, Sendable {
  /// Everything up to and including the file with this number, in order of ingestion.
  case file(Int64)
  /// Events whose `received_at` (or `ts` if they have none) is before this instant, in ms since 1970; the store records
  /// no clock time of its own.
  case received(Int64)
}

extension StoreSnapshot {
  public struct File: Sendable {
    /// The file's number, in order of ingestion.
    public var id: Int64
    public var path: String
    /// The SHA-256 of the file in lower-case hexadecimal.
    public var sha256: String
    /// The number of lines that repeat events of this or another file.
    public var duplicates: Int
  }

  /// Returns the files that were read in full, in order of ingestion.
  public func files() throws -> [File] {
    try Row.fetchAll(
      db, sql: "SELECT id, path, lower(hex(digest)), duplicates FROM file WHERE failure IS NULL ORDER BY id"
    ).map {
      try File(id: $0.required(0), path: $0.required(1), sha256: $0.required(2), duplicates: $0.required(3))
    }
  }

  public func known(at point: KnownAt) throws -> HistoricalStore {
    switch point {
    case .file(let last):
      return try known(fileCondition: "id <= \(last)") { file, _ in Int64(file) <= last }
    case .received(let instant):
      return try known(fileCondition: "1 = 1") { _, received in received < instant }
    }
  }

  /// Returns the store as it was known at a point. Among contradicting contents of one id, the one that stayed at that
  /// point is either in the store or in quarantine now.
  private func known(
    fileCondition: String, _ isKnown: (_ file: Int64, _ reception: Int64) -> Bool
  ) throws -> HistoricalStore {
    let contested = try ContestedEvents(db)
    var kept = Set<EventIdentity>()
    let clientApp = try StoredDictionaries.clientApps(db)
    return try HistoricalStore(
      of: self, files: fileCondition,
      isKept: { row, text in
        guard isKnown(Int64(row.file), row.ts + (EventRow.optional(row.receivedAfter) ?? 0)) else { return false }
        if !contested.isEmpty {
          let id = EventIdentity(app: clientApp[Int(row.client)], id: row.eventID.text(in: text))
          if contested.has(id) { kept.insert(id) }
        }
        return true
      },
      contents: { contested.settled(isKnown, kept: kept) })
  }
}
