internal import GRDB

/// The runs of events that the event table is made of.
///
/// Each batch is stored as a run of its own, sorted by user, so that storing only ever appends; a person's events are
/// found by a seek in each run. Small runs are merged into larger ones now and then, which keeps their number low at
/// the price of writing an event twice again, at most.
final class Segments {
  /// How many runs below a size may be, before they are merged into one.
  private static let levels = [(events: 131_072, runs: 8), (events: 4_194_304, runs: 48)]

  private let db: Database
  private(set) var ids: [Int64]
  private var nextID: Int64
  private let insert: SQLiteStatement

  init(_ db: Database) throws {
    self.db = db
    ids = try Self.ids(db)
    nextID = (ids.last ?? 0) + 1
    insert = try SQLiteStatement(db, "INSERT INTO segment VALUES (?, ?)")
  }

  /// The runs of a store, oldest first.
  static func ids(_ db: Database) throws -> [Int64] {
    try Int64.fetchAll(db, sql: "SELECT id FROM segment ORDER BY id")
  }

  /// Numbers a new run.
  func add(events: Int) throws -> Int64 {
    precondition(nextID < EventRowID.runs, "the store has too many runs")
    let id = nextID
    nextID += 1
    ids.append(id)
    insert.bind(1, id)
    insert.bind(2, Int64(events))
    try insert.run()
    return id
  }

  /// Merges runs of one level where there are many.
  func mergeSmall() throws {
    for level in Self.levels {
      let small = try Row.fetchAll(
        db, sql: "SELECT id, events FROM segment WHERE events < ? ORDER BY id", arguments: [level.events])
      guard small.count >= level.runs else { continue }
      let runs = small.map { $0[0] as Int64 }
      // Said to be texts: GRDB's `SQL` can be written as a literal too, and would be taken.
      let rows = runs.map { run -> String in
        let range = EventRowID.range(segment: run)
        return "id BETWEEN \(range.lowerBound) AND \(range.upperBound)"
      }.joined(separator: " OR ")
      let user = EventRowID.userSQL("id")
      // A run has places for so many events of one user only.
      let most = try Int.fetchOne(
        db, sql: "SELECT MAX(events) FROM (SELECT COUNT(*) AS events FROM event WHERE \(rows) GROUP BY \(user))")
      guard (most ?? 0) <= EventRowID.places else { continue }
      let merged = try add(events: small.reduce(0) { $0 + ($1[1] as Int) })
      try db.execute(
        sql: """
          INSERT INTO event
          SELECT
            (\(merged) << 50) | (\(user) << 18)
              | (ROW_NUMBER() OVER (PARTITION BY \(user) ORDER BY ts, kind, id) - 1),
            \(Self.columns)
          FROM event WHERE \(rows)
          ORDER BY 1
          """)
      for run in runs {
        let range = EventRowID.range(segment: run)
        try db.execute(
          sql: "DELETE FROM event WHERE id BETWEEN ? AND ?", arguments: [range.lowerBound, range.upperBound])
        try db.execute(sql: "DELETE FROM segment WHERE id = ?", arguments: [run])
      }
      ids = try Self.ids(db)
    }
  }

  private static let columns =
    "ts, kind, event_id, file, received_after, client, context, terms, properties, subscription_id, "
    + "transaction_id, expires_at, trial_ends_at, grace_ends_at, previous_user"
}
