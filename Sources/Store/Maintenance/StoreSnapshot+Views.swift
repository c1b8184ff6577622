internal import GRDB
internal import GRDBSQLite

public enum ViewValue: Sendable, Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  /// Bytes that are not valid UTF-8.
  case bytes([UInt8])
}

extension StoreSnapshot {
  /// The documented views, in the order of the documentation.
  public static let views = Views.all.map { String($0.dropFirst("CREATE VIEW ".count).prefix { $0 != " " }) }

  /// Calls `body` with each row of a documented view, in the store's own order.
  ///
  /// - Parameter columns: Called once before the rows, with the names of the columns.
  public func forEachRow(
    ofView view: String, columns: ([String]) throws -> Void, _ body: ([ViewValue]) throws -> Void
  ) throws {
    precondition(Self.views.contains(view), "\(view) is a documented view")
    if view != "events" {
      let statement = try SQLiteStatement(db, "SELECT * FROM \(view)")
      try columns(statement.columnNames)
      return try Self.forEachRow(of: statement, body)
    }
    let page = EventPage()
    try page.register(db, name: "event_page")
    let statement = try SQLiteStatement(db, Views.wholeEventsSQL(from: "event_page"))
    try columns(statement.columnNames)
    try SortedRuns.forEachView(db) { block in
      try page.load(block)
      try Self.forEachRow(of: statement, body)
      statement.reset()
    }
  }

  private static func forEachRow(of statement: SQLiteStatement, _ body: ([ViewValue]) throws -> Void) throws {
    var row: [ViewValue] = []
    while try statement.step() {
      row.removeAll(keepingCapacity: true)
      for column in 0..<Int32(statement.columnCount) {
        switch statement.type(column) {
        case SQLITE_INTEGER: row.append(.integer(statement.int64(column)))
        case SQLITE_FLOAT: row.append(.real(statement.optionalDouble(column) ?? 0))
        case SQLITE_NULL: row.append(.null)
        case SQLITE_BLOB: row.append(.bytes([UInt8](statement.bytes(column))))
        default: row.append(.text(statement.string(column)))
        }
      }
      try body(row)
    }
  }
}
