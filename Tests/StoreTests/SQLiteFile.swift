import GRDBSQLite

/// A separate connection to an SQLite file through SQLite's C interface, which sees what the `sqlite3` shell would.
final class SQLiteFile {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private var handle: OpaquePointer?

  init(_ path: String) throws {
    guard sqlite3_open(path, &handle) == SQLITE_OK else { throw failure(path) }
  }

  deinit { sqlite3_close_v2(handle) }

  private func failure(_ sql: String) -> Failure {
    Failure(description: "\(handle.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory"): \(sql)")
  }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  /// Returns the rows of a query as texts; NULL is `nil`.
  func rows(_ sql: String) throws -> [[String?]] { try query(sql).rows }

  /// Returns the only value of a query as a text.
  func text(_ sql: String) throws -> String? { try rows(sql).first?.first ?? nil }

  func columns(of view: String) throws -> [String] { try query("SELECT * FROM \(view) LIMIT 0").columns }

  func query(_ sql: String) throws -> (columns: [String], rows: [[String?]]) {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
    defer { sqlite3_finalize(statement) }
    let count = sqlite3_column_count(statement)
    let columns = (0..<count).map { String(cString: sqlite3_column_name(statement, $0)) }
    var rows: [[String?]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: rows.append((0..<count).map { Self.text(statement, $0) })
      case SQLITE_DONE: return (columns, rows)
      default: throw failure(sql)
      }
    }
  }

  private static func text(_ statement: OpaquePointer?, _ column: Int32) -> String? {
    guard let bytes = sqlite3_column_blob(statement, column) else {
      return sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : ""
    }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
