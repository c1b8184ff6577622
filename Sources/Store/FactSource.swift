internal import GRDB
public import Lifecycle

/// A connection to the facts of a store as they were at an instant, under given rules.
///
/// Where those rules make other facts than the stored ones, the persons concerned are folded again in memory, by
/// the same fold; the store is not touched.
public final class FactSource {
  let db: Database
  /// Whether the events of a kind that a query reads are in a table of memory already.
  var hasImpressions = false
  var hasPaymentEvents = false
  /// The names, by number; 0 is `(none)`.
  public private(set) lazy var names: [String] = (try? StoredDictionaries.names(db)) ?? []
  /// A name of the data that reads `(none)`, as the absent one does.
  public private(set) lazy var literalNone: Int? = names.dropFirst().firstIndex(of: "(none)")
  /// The as-of of each app that is asked for, in ms.
  public let asOf: [NameID: Int64]
  /// Whether any person is folded again.
  public let isRefolded: Bool

  init(_ db: Database, asOf: [NameID: Int64], grace: Int64, attribution: Attribution) throws {
    self.db = db
    self.asOf = asOf
    let changesAll = grace != FoldOptions.stored.grace || attribution != FoldOptions.stored.attribution
    let newest = try Row.fetchAll(
      db,
      sql: """
        SELECT app, MAX(MAX(COALESCE(newest_timely, 0), COALESCE(newest_unmarked, 0), COALESCE(newest_early, 0)))
        FROM app_day GROUP BY app
        """)
    let isPast = newest.contains { row in
      guard let asOf = asOf[row[0]] else { return false }
      return (row[1] as Int64) >= asOf
    }
    isRefolded = changesAll || isPast
    if isRefolded {
      try Refold(db, asOf: asOf, grace: grace, attribution: attribution).run(all: changesAll)
    }
  }

  /// What to read a fact table as, in `FROM`.
  public func table(_ table: FactTable) -> String {
    let name = "\(table.rawValue)_fact"
    if !isRefolded { return name }
    return """
      (SELECT * FROM main.\(name) WHERE person NOT IN (SELECT person FROM temp.refolded)
       UNION ALL SELECT * FROM temp.\(name))
      """
  }

  /// Calls `body` with each row of a query, as numbers; NULL is `nil`.
  public func forEachRow(_ sql: String, _ body: (FactRow) throws -> Void) throws {
    let statement = try SQLiteStatement(db, sql)
    let row = FactRow(statement: statement)
    while try statement.step() { try body(row) }
  }
}

/// One row of a query on facts; valid until the next one.
public struct FactRow {
  let statement: SQLiteStatement

  public subscript(column: Int) -> Int64 { statement.int64(Int32(column)) }

  public func optional(_ column: Int) -> Int64? { statement.optionalInt64(Int32(column)) }

  /// The number of columns.
  public var count: Int { statement.columnCount }

  public func int(_ column: Int) -> Int { Int(statement.int64(Int32(column))) }

  public func text(_ column: Int) -> String { statement.string(Int32(column)) }
}
