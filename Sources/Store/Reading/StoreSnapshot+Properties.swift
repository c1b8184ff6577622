internal import GRDB

extension StoreSnapshot {
  /// Returns the names of the properties that events have, in byte order.
  public func propertyNames(atMost count: Int) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        WITH RECURSIVE names(name) AS (
          SELECT min(name) FROM property
          UNION ALL
          SELECT (SELECT min(name) FROM property WHERE name > names.name) FROM names WHERE name IS NOT NULL)
        SELECT name FROM names WHERE name IS NOT NULL LIMIT ?
        """, arguments: [count])
  }

  /// Returns whether any event has a property.
  public func hasProperty(_ name: String) throws -> Bool {
    try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM property WHERE name = ?)", arguments: [name]) ?? false
  }
}
