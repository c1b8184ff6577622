internal import EventModel
internal import GRDB
internal import Lifecycle

/// Keeps the number of events and the instants that bound the default as-of (definitions 1.1), by app and UTC day.
final class EventDays {
  private struct Key: Equatable {
    var app: Int32
    var day: Int64

    /// A fast hash; distribution matters less here.
    @inline(__always)
    var quickHash: UInt64 { UInt64(UInt32(bitPattern: app)) << 40 ^ UInt64(bitPattern: day) }
  }

  private struct Sums {
    var events = 0
    var newestReceived: Int64?
    var newestTimely: Int64?
    var newestEarly: Int64?
    var newestUnmarked: Int64?

    @inline(__always)
    mutating func note(_ ts: Int64, receivedAt: Int64?, isSandbox: Bool) {
      if let receivedAt { newestReceived = max(newestReceived ?? .min, receivedAt) }
      if isSandbox { return }
      events += 1
      switch EventClock(ts: ts, receivedAt: receivedAt) {
      case .timely: newestTimely = max(newestTimely ?? .min, ts)
      case .early: newestEarly = max(newestEarly ?? .min, ts)
      case .unmarked: newestUnmarked = max(newestUnmarked ?? .min, ts)
      }
    }
  }

  @exclusivity(unchecked) private var added: [Sums] = []
  @exclusivity(unchecked) private var keys = RowInterner<Key>()
  private var mustRebuild = false
  private let db: Database
  private let upsert: SQLiteStatement

  private let table: String
  private let arrivals: Lateness
  private var fileSources: FileSources
  private var lastFile: (id: Int64, source: Int)?

  /// - Parameter schema: `main`, or one whose tables are filled by a rebuild.
  init(_ db: Database, schema: String = "main") throws {
    self.db = db
    table = "\(schema).app_day"
    arrivals = try Lateness(db, table: "\(schema).arrival")
    fileSources = FileSources(db)
    let newest = ["received", "timely", "early", "unmarked"].map { "newest_\($0)" }.map { column in
      "\(column) = max(coalesce(\(column), excluded.\(column)), coalesce(excluded.\(column), \(column)))"
    }
    upsert = try SQLiteStatement(
      db,
      """
      INSERT INTO \(table) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT (app, day) DO UPDATE SET
        events          = events + excluded.events,
        \(newest.joined(separator: ", "))
      """)
  }

  /// Sets the source of a file that is not in the manifest yet.
  func setSource(_ name: String, of file: Int64) { fileSources.set(name, of: file) }

  /// Counts a new event.
  @inline(__always)
  func add(app: Int32, ts: Int64, receivedAt: Int64?, isSandbox: Bool, kind: EventKind, file: Int64) throws {
    if !isSandbox {
      let source: Int
      if let lastFile, lastFile.id == file {
        source = lastFile.source
      } else {
        source = arrivals.number(ofSource: try fileSources.name(of: file))
        lastFile = (file, source)
      }
      arrivals.add(app: app, ts: ts, receivedAt: receivedAt, kind: kind, source: source)
    }
    let slot = slot(of: Key(app: app, day: ts - ts % day))
    added[slot].note(ts, receivedAt: receivedAt, isSandbox: isSandbox)
  }

  /// Counts an event of a block.
  func add(_ row: EventRow, _ dictionaries: EventDictionaries) throws {
    try add(
      app: dictionaries.clientApp[Int(row.client)], ts: row.ts,
      receivedAt: EventRow.optional(row.receivedAfter).map { row.ts + $0 },
      isSandbox: dictionaries.clientIsSandbox[Int(row.client)], kind: row.kind, file: Int64(row.file))
  }

  @inline(__always)
  private func slot(of key: Key) -> Int {
    let slot = Int(keys.intern(key, hash: key.quickHash))
    if slot == added.count { added.append(Sums()) }
    return slot
  }

  /// Records that a stored event was removed or changed, so that the table must be rebuilt.
  func invalidate() { mustRebuild = true }

  private func removeAll() {
    added.removeAll(keepingCapacity: true)
    keys.removeAll()
  }

  /// Brings the table up to date, inside the commit's transaction.
  ///
  /// - Parameter runs: Returns all events, including those of the commit.
  func update(runs: () throws -> [any BlockCursor], dictionaries: EventDictionaries) throws {
    if mustRebuild {
      try db.execute(sql: "DELETE FROM \(table)")
      removeAll()
      try arrivals.clear()
      for run in try runs() {
        try run.forEachBlock { events in
          for row in events.rows { try add(row, dictionaries) }
        }
      }
    }
    for (key, sums) in zip(keys.rows, added).sorted(by: { ($0.0.app, $0.0.day) < ($1.0.app, $1.0.day) }) {
      try upsert.run(
        binding: key.app, key.day, Int64(sums.events), sums.newestReceived, sums.newestTimely, sums.newestEarly,
        sums.newestUnmarked)
    }
    removeAll()
    mustRebuild = false
    try arrivals.update()
  }
}
