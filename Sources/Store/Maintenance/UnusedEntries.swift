internal import GRDB

/// The dictionary entries that no event refers to.
///
/// Their numbers stay, because entries are numbered without gaps; their texts are removed.
enum UnusedEntries {
  private static let blankName = "(forgotten "

  /// Blanks texts that nothing refers to.
  ///
  /// - Returns: The number of blanked names.
  static func blank(_ db: Database) throws -> Int {
    let (usedNames, usedSets) = try used(db)
    var blanked = 0
    let setName = try SQLiteStatement(db, "UPDATE name SET text = ?2 WHERE id = ?1")
    for row in try Row.fetchAll(db, sql: "SELECT id, text FROM name") {
      let (id, text): (Int32, String) = try (row.required(0), row.required(1))
      if usedNames.contains(id) || text.hasPrefix(blankName) { continue }
      // Texts must differ; otherwise another name with the same text would be taken for this one.
      try setName.run(binding: id, "\(blankName)name \(id))")
      blanked += 1
    }
    for id in try Int32.fetchAll(db, sql: "SELECT id FROM property_set") where !usedSets.contains(id) {
      try db.execute(
        sql: "UPDATE property_set SET json = ? WHERE id = ?", arguments: ["{\"\(blankName)set)\":\"\(id)\"}", id])
      try db.execute(sql: "DELETE FROM property WHERE set_id = ?", arguments: [id])
    }
    return blanked
  }

  private static func used(_ db: Database) throws -> (names: Set<Int32>, propertySets: Set<Int32>) {
    var (contexts, clients, terms, sets) = (Set<Int32>(), Set<Int32>(), Set<Int32>(), Set<Int32>([0]))
    try SortedRuns.forEachRow(db) { row, _ in
      contexts.insert(row.context)
      clients.insert(row.client)
      terms.insert(row.terms)
      sets.insert(row.properties)
    }
    var names: Set<Int32> = [0, 1]
    func add(_ entries: [some DictionaryEntry], _ used: Set<Int32>) {
      for id in used { for name in entries[Int(id)].names { names.insert(Int32(bitPattern: name)) } }
    }
    let dictionaries = try StoredDictionaries(db)
    add(dictionaries.contexts, contexts)
    add(dictionaries.clients, clients)
    add(dictionaries.terms, terms)
    let value = try SQLiteStatement(db, "SELECT set_id, value FROM property")
    while try value.step() { if sets.contains(value.int32(0)) { names.insert(value.int32(1)) } }
    names.formUnion(try Int32.fetchAll(db, sql: "SELECT app FROM user UNION SELECT app FROM conflict"))
    return (names, sets)
  }
}
