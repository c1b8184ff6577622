internal import GRDB
internal import Lifecycle

/// The `identify` events that join users (definitions 1.3), from which the identity graph at any instant is built.
final class JoinTable {
  private let insert: SQLiteStatement
  private let delete: SQLiteStatement

  init(_ db: Database) throws {
    insert = try SQLiteStatement(db, "INSERT INTO user_join VALUES (?, ?, ?, ?)")
    delete = try SQLiteStatement(
      db,
      """
      DELETE FROM user_join WHERE rowid = (
        SELECT rowid FROM user_join WHERE user = ? AND previous_user = ? AND ts = ? LIMIT 1
      )
      """)
  }

  func add(_ row: EventRow, app: NameID) throws {
    insert.bind(1, app)
    insert.bind(2, row.ts)
    insert.bind(3, row.user)
    insert.bind(4, row.previousUser)
    try insert.run()
  }

  /// Removes one of several equal joins.
  func remove(_ row: EventRow) throws {
    delete.bind(1, row.user)
    delete.bind(2, row.previousUser)
    delete.bind(3, row.ts)
    try delete.run()
  }
}
