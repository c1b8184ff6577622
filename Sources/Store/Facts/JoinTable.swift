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
    try insert.run(binding: app, row.ts, row.user, row.previousUser)
  }

  /// Removes one of several equal joins.
  func remove(_ row: EventRow) throws {
    try delete.run(binding: row.user, row.previousUser, row.ts)
  }
}
