internal import GRDB

/// The dictionary entries that no event refers to.
///
/// Their numbers stay, because entries are numbered without gaps; their texts are removed.
enum UnusedEntries {
  private static let blankName = "(forgotten "

  private struct Used {
    var names: Set<Int32> = [0, 1]
    var contexts = Set<Int32>()
    var clients = Set<Int32>()
    var terms = Set<Int32>()
    var propertySets: Set<Int32> = [0]
  }

  /// Blanks texts that nothing refers to.
  ///
  /// - Returns: The number of blanked names.
  static func blank(_ db: Database) throws -> Int {
    let used = try used(db)
    var blanked = 0
    let setName = try SQLiteStatement(db, "UPDATE name SET text = ?2 WHERE id = ?1")
    for row in try Row.fetchAll(db, sql: "SELECT id, text FROM name") {
      let (id, text): (Int32, String) = (row[0], row[1])
      if used.names.contains(id) || text.hasPrefix(blankName) { continue }
      setName.bind(1, id)
      // Texts must differ; otherwise another name with the same text would be taken for this one.
      setName.bind(2, "\(blankName)name \(id))")
      try setName.run()
      blanked += 1
    }
    for id in try Int32.fetchAll(db, sql: "SELECT id FROM property_set") where !used.propertySets.contains(id) {
      try db.execute(
        sql: "UPDATE property_set SET json = ? WHERE id = ?", arguments: ["{\"\(blankName)set)\":\"\(id)\"}", id])
      try db.execute(sql: "DELETE FROM property WHERE set_id = ?", arguments: [id])
    }
    return blanked
  }

  private static func used(_ db: Database) throws -> Used {
    var used = Used()
    try SortedRuns.forEachBlock(db) { events in
      for row in events.rows {
        used.contexts.insert(row.context)
        used.clients.insert(row.client)
        used.terms.insert(row.terms)
        used.propertySets.insert(row.properties)
      }
    }
    func add(_ sql: String, _ isUsed: (Int32) -> Bool) throws {
      let statement = try SQLiteStatement(db, sql)
      while try statement.step() {
        guard isUsed(statement.int32(0)) else { continue }
        for column in 1..<Int32(statement.columnCount) { used.names.insert(statement.int32(column)) }
      }
    }
    let (contexts, clients, terms, sets) = (used.contexts, used.clients, used.terms, used.propertySets)
    try add("SELECT id, entry_point, experiment, variant, paywall FROM context") { contexts.contains($0) }
    try add("SELECT id, app, platform, store, country, app_version FROM client") { clients.contains($0) }
    try add(
      """
      SELECT id, offering, product, currency, offer_type, offer_code, trial_kind, previous_product, reason, limit_name
      FROM terms
      """
    ) { terms.contains($0) }
    try add("SELECT set_id, value FROM property") { sets.contains($0) }
    try add("SELECT DISTINCT 0, app FROM user") { _ in true }
    try add("SELECT DISTINCT 0, app FROM conflict") { _ in true }
    return used
  }
}
