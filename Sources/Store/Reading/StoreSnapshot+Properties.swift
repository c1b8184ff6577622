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

  /// Returns the names of the properties that have few values, in byte order.
  public func propertyNames(atMost count: Int, values: Int) throws -> [String] {
    var names: [String] = []
    for name in try propertyNames(atMost: .max) where names.count < count {
      let found = try Int.fetchOne(
        db, sql: "SELECT COUNT(*) FROM (SELECT DISTINCT value FROM property WHERE name = ? LIMIT ?)",
        arguments: [name, values + 1])
      if (found ?? 0) <= values { names.append(name) }
    }
    return names
  }

  public func hasProperty(_ name: String) throws -> Bool {
    try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM property WHERE name = ?)", arguments: [name]) ?? false
  }
}
