internal import GRDB
internal import Lifecycle

extension Store {
  /// Makes identities, facts, cells and days anew from the events, and the indexes from their tables.
  ///
  /// - Throws: ``StoreError/damaged(path:reason:)`` where the events themselves cannot be read: then only a copy helps, or
  ///   their files.
  public func repair(lockTimeout: Double = 30) throws {
    do {
      try translatingErrors(lockTimeout: lockTimeout) {
        try queue.writeWithoutTransaction { db in
          try db.inTransaction(.immediate) {
            try db.execute(sql: "REINDEX")
            let tables =
              FactTable.allCases.map(\.rowTable) + CellFamily.allCases.map(\.table)
              + ["origin", "trial_length", "impression_cell", "money_block", "kept_report", "user_join"]
            for table in tables { try db.execute(sql: "DELETE FROM \(table)") }
            try db.execute(sql: "UPDATE user SET person = id WHERE person <> id")
            try EventWriter(db, storePath: path).rebuild()
            return .commit
          }
        }
      }
    } catch let StoreError.damaged(path, reason) {
      throw StoreError.damaged(
        path: path, reason: "its events cannot be read, so nothing can be made from them: \(reason)")
    }
  }
}
