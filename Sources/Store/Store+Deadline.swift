internal import GRDB
internal import GRDBSQLite

extension Store {
  /// The number of SQLite's steps between two checks of the clock: some tens of microseconds.
  private static let stepsBetweenLooks: Int32 = 10_000

  /// Reads the store as of one instant, and interrupts the read if it is not finished at the deadline.
  ///
  /// - Throws: ``StoreError/tooSlow(path:)`` at the deadline, and any error that `body` throws.
  public func read<Result>(
    until deadline: ContinuousClock.Instant, _ body: (StoreSnapshot) throws -> Result
  ) throws -> Result {
    try withUnsafePointer(to: deadline) { deadline in
      try read { snapshot in
        let connection = snapshot.db.sqliteConnection
        sqlite3_progress_handler(
          connection, Self.stepsBetweenLooks,
          { deadline in
            let deadline = deadline?.load(as: ContinuousClock.Instant.self)
            return deadline.map { ContinuousClock.now > $0 } ?? false ? 1 : 0
          }, UnsafeMutableRawPointer(mutating: deadline))
        defer { sqlite3_progress_handler(connection, 0, nil, nil) }
        return try body(snapshot)
      }
    }
  }
}
