internal import Foundation
internal import GRDB
public import Lifecycle

extension Store {
  /// Reads the store as of one instant, whatever is written meanwhile.
  ///
  /// - Throws: ``StoreError``, also if somebody wrote to a store that is read without SQLite's locks.
  public func read<Result>(_ body: (StoreSnapshot) throws -> Result) throws -> Result {
    let result = Swift.Result {
      try translatingErrors {
        try queue.unsafeRead { db in
          try db.beginTransaction(.deferred)
          defer { try? db.rollback() }
          return try body(StoreSnapshot(db, folder: folder))
        }
      }
    }
    if isWrittenUnlocked {
      throw StoreError.cannotOpen(
        path: path,
        reason: "somebody wrote to it while this user, who may not write to its folder, read it; run the command again")
    }
    return try result.get()
  }
}

/// A store at one instant.
public final class StoreSnapshot {
  let db: Database
  /// The last requested facts, newest last: both sides of a comparison share what they compute among their reports.
  private var lastFacts: [FactSource] = []
  private static let keptFacts = 3

  private var readApps: [App]?

  /// The folder of the store's file, where files lie that say what its users call things.
  let folder: String

  init(_ db: Database, folder: String = ".") { (self.db, self.folder) = (db, folder) }

  /// Returns the text of a file beside the store and its path; no text if there is none.
  public func text(beside name: String) throws -> (text: String?, path: String) {
    let path = URL(fileURLWithPath: folder).appendingPathComponent(name).path
    guard FileManager.default.fileExists(atPath: path) else { return (nil, path) }
    return (try String(contentsOfFile: path, encoding: .utf8), path)
  }

  public struct App: Sendable {
    public var id: NameID
    public var name: String
    /// The default as-of; implements definitions 1.1: one millisecond after the newest production event that is not ahead of its
    /// time; `nil` if there is none.
    public var newestAsOf: Int64?
    /// The first instant of the UTC day of the oldest production event.
    public var firstDay: Int64
    /// The number of production events.
    public var events: Int
    /// The instant before which raw events that no fact depends on were pruned; `nil` if none were.
    public var prunedBefore: Int64?
  }

  /// Returns the apps with production events, in byte order of their names.
  public func apps() throws -> [App] {
    if let readApps { return readApps }
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT
          app_day.app,
          name.text,
          MIN(CASE WHEN events > 0 THEN day END),
          SUM(events),
          MAX(newest_received),
          MAX(newest_timely),
          (SELECT before FROM pruned WHERE pruned.app = app_day.app)
        FROM app_day
        JOIN name ON name.id = app_day.app
        GROUP BY app_day.app
        HAVING SUM(events) > 0
        """)
    let apps = try rows.map { row in
      let id: NameID = try row.required(0)
      let firstDay: Int64 = try row.required(2)
      let received: Int64? = try row.optional(4)
      let timely: Int64? = try row.optional(5)
      let instants = [firstDay, received, timely].compactMap { $0 }
      guard instants.allSatisfy(StoredRange.instants.contains) else { throw StoredDamage.error("app_day is malformed") }
      let unmarked = try newestUnmarked(app: id, notAfter: received.map { $0 + day } ?? .max)
      return App(
        id: id, name: try row.required(1), newestAsOf: [timely, unmarked].compactMap { $0 }.max().map { $0 + 1 },
        firstDay: firstDay, events: try row.required(3), prunedBefore: try row.optional(6))
    }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    // Pages that have changed places give rows out of order, and so a group twice.
    guard Set(apps.map(\.id)).count == apps.count else { throw StoredDamage.error("app_day has rows out of order") }
    readApps = apps
    return apps
  }

  /// Returns whether any event says when it was received.
  public func tellsReception() throws -> Bool {
    try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM app_day WHERE newest_received IS NOT NULL)") ?? false
  }

  /// Returns the newest production event without `received_at` at or before a bound.
  private func newestUnmarked(app: NameID, notAfter bound: Int64) throws -> Int64? {
    // The newest days come first; only the day that contains the bound may need its events read.
    let statement = try db.cachedStatement(
      sql: """
        SELECT day, newest_unmarked FROM app_day
        WHERE app = ? AND newest_unmarked IS NOT NULL AND day <= ? ORDER BY day DESC
        """)
    let rows = try Row.fetchCursor(statement, arguments: [app, bound])
    while let row = try rows.next() {
      let newest: Int64 = try row.required(1)
      let first: Int64 = try row.required(0)
      guard StoredRange.instants.contains(newest), first <= newest else {
        throw StoredDamage.error("app_day is malformed")
      }
      if newest <= bound { return newest }
      let inside = try newestUnmarked(app: app, in: first...bound)
      if let inside { return inside }
    }
    return nil
  }

  private func newestUnmarked(app: NameID, in instants: ClosedRange<Int64>) throws -> Int64? {
    let dictionaries = try StoredDictionaries(db).forFold
    var newest: Int64?
    try SortedRuns.forEachRow(db) { row, _ in
      let client = Int(row.client)
      guard row.receivedAfter == EventRow.absent, instants.contains(row.ts), dictionaries.clientApp[client] == app,
        !dictionaries.clientIsSandbox[client]
      else { return }
      newest = max(newest ?? .min, row.ts)
    }
    return newest
  }

  /// Returns the facts as of given instants, under given options.
  ///
  /// - Parameters:
  ///   - asOf: The as-of by app; apps that are missing are left out.
  ///   - later: The events that exist although they are later. Only facts and impressions take them into account.
  ///   - grace: The grace period in milliseconds.
  public func facts(
    asOf: [NameID: Int64], later: LaterEvents? = nil, grace: Int64, attribution: Attribution,
    of persons: UserSet? = nil
  ) throws -> FactSource {
    if let persons {
      return try FactSource(db, asOf: asOf, later: later, grace: grace, attribution: attribution, persons: persons)
    }
    let options = FoldOptions(asOf: .max, grace: grace, attribution: attribution)
    if let place = lastFacts.firstIndex(where: { $0.options == options && $0.asOf == asOf && $0.later == later }) {
      lastFacts.append(lastFacts.remove(at: place))
      return lastFacts[lastFacts.count - 1]
    }
    let source = try FactSource(db, asOf: asOf, later: later, grace: grace, attribution: attribution)
    source.ofMoreApps = lastFacts.last { known in
      known.options == options && known.later == later && asOf.allSatisfy { known.asOf[$0.key] == $0.value }
    }
    lastFacts = lastFacts.suffix(Self.keptFacts - 1) + [source]
    return source
  }
}
