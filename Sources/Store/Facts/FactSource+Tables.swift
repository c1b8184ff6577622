extension FactSource {
  /// Returns the table or view from which to read facts, for `FROM`.
  public func table(_ table: FactTable) -> String {
    let name = table.view
    // An earlier report on the same connection may have left tables with these names in temp.
    let condition = "person IN (SELECT person FROM temp.\(personTable))"
    if !isRecomputed { return kept == nil ? "main.\(name)" : "(SELECT * FROM main.\(name) WHERE \(condition))" }
    return """
      (SELECT * FROM main.\(name)
       WHERE person NOT IN (SELECT person FROM temp.recomputed)\(kept == nil ? "" : " AND \(condition)")
       UNION ALL SELECT * FROM temp.\(name)\(kept == nil ? "" : " WHERE \(condition)"))
      """
  }

  /// Stores the rows of a query in a temporary table, which lasts as long as the snapshot.
  ///
  /// - Parameters:
  ///   - name: The name of the table `temp.NAME`; an existing one is replaced.
  ///   - columns: The columns as in `CREATE TABLE`; an `INTEGER NOT NULL PRIMARY KEY` makes look-ups by it fast.
  public func keep(_ name: String, columns: [String], rowsOf query: String) throws {
    try create(name, columns)
    try forEachRow("INSERT INTO temp.\(name) \(query)") { _ in }
  }

  /// Stores rows of numbers, each with a value for every column, in a temporary table.
  public func keep(_ name: String, columns: [String], rows: some Sequence<[Int64]>) throws {
    try create(name, columns)
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    let insert = try SQLiteStatement(db, "INSERT INTO temp.\(name) VALUES (\(places))")
    for row in rows {
      for (place, value) in row.enumerated() { insert.bind(Int32(place + 1), value) }
      try insert.run()
    }
  }

  private func create(_ name: String, _ columns: [String]) throws {
    try forEachRow("DROP TABLE IF EXISTS temp.\(name)") { _ in }
    try forEachRow("CREATE TABLE temp.\(name) (\(columns.joined(separator: ", "))) STRICT") { _ in }
  }
}
