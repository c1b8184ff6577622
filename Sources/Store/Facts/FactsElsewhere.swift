internal import GRDB
internal import Lifecycle

/// Marks a store whose events are elsewhere: it has only facts, whose fold options may differ from the stored ones.
enum FactsElsewhere {
  static let table = "facts_elsewhere"

  static func mark(_ db: Database, _ options: FoldOptions) throws {
    try db.execute(sql: Schema.factsElsewhereTable)
    try db.execute(
      sql: "INSERT INTO \(table) VALUES (?, ?, ?)",
      arguments: [options.asOf, options.grace, options.attribution.rawValue])
  }

  /// Returns the options that the facts were folded with; `nil` for a store with events.
  static func options(_ db: Database) throws -> FoldOptions? {
    guard try db.tableExists(table),
      let row = try Row.fetchOne(db, sql: "SELECT as_of, grace, attribution FROM \(table)"),
      let attribution = Attribution(rawValue: try row.required(2))
    else { return nil }
    return try FoldOptions(asOf: row.required(0), grace: row.required(1), attribution: attribution)
  }
}
