internal import GRDB
import GRDBSQLite

/// A prepared statement for hot loops, without allocation or conversion per row.
///
/// It may be used only on the thread of its connection.
final class SQLiteStatement {
  private let handle: OpaquePointer
  private let connection: OpaquePointer

  init(_ db: Database, _ sql: String) throws {
    guard let connection = db.sqliteConnection else { preconditionFailure("the connection is closed") }
    self.connection = connection
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(connection)), sql: sql)
    }
    self.handle = handle
  }

  deinit { sqlite3_finalize(handle) }

  @inline(__always)
  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

  @inline(__always)
  func bind(_ index: Int32, _ value: Int64?) {
    if let value { sqlite3_bind_int64(handle, index, value) } else { sqlite3_bind_null(handle, index) }
  }

  @inline(__always)
  func bind(_ index: Int32, _ value: Int32) { sqlite3_bind_int64(handle, index, Int64(value)) }

  func bind(_ index: Int32, _ value: Double?) {
    if let value { sqlite3_bind_double(handle, index, value) } else { sqlite3_bind_null(handle, index) }
  }

  /// Binds bytes that must stay valid until the next `reset`.
  @inline(__always)
  func bindText(_ index: Int32, _ bytes: UnsafeRawBufferPointer) {
    // A nil pointer would bind NULL.
    let start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
    sqlite3_bind_text(handle, index, start?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil)
  }

  /// Binds bytes that must stay valid until the next `reset`, unless the destructor tells SQLite to copy them.
  @inline(__always)
  func bindBlob(_ index: Int32, _ bytes: UnsafeRawBufferPointer, destructor: sqlite3_destructor_type? = nil) {
    if bytes.isEmpty {
      sqlite3_bind_zeroblob(handle, index, 0)
    } else {
      sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count), destructor)
    }
  }

  func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

  func bind(_ index: Int32, _ value: String?) {
    guard var value else { return bindNull(index) }
    value.withUTF8 { bytes in
      // SQLITE_TRANSIENT makes SQLite copy the bytes.
      let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      let start = UnsafeRawPointer(bytes.baseAddress) ?? UnsafeRawPointer(bitPattern: 1)
      sqlite3_bind_text(handle, index, start?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), transient)
    }
  }

  /// Binds the parameters from the first on, and returns the number of the last.
  @inline(__always)
  @discardableResult
  func bind<each Value: StatementValue>(all values: repeat each Value) -> Int32 {
    var index: Int32 = 0
    func next() -> Int32 {
      index += 1
      return index
    }
    repeat (each values).bind(to: self, at: next())
    return index
  }

  /// Binds the parameters and runs the statement, as ``run()`` does.
  @inline(__always)
  @discardableResult
  func run<each Value: StatementValue>(binding values: repeat each Value) throws -> Int32 {
    bind(all: repeat each values)
    return try run()
  }

  /// Runs the statement with bytes as its last parameter.
  @inline(__always)
  func run<each Value: StatementValue>(binding values: repeat each Value, blob: [UInt8]) throws {
    let last = bind(all: repeat each values) + 1
    try blob.withUnsafeBytes { bytes in
      bindBlob(last, bytes)
      try run()
    }
  }

  /// Returns what is read from the first row; `nil` if there is none.
  @inline(__always)
  func first<Found, each Value: StatementValue>(
    binding values: repeat each Value, read: (SQLiteStatement) throws -> Found
  ) throws -> Found? {
    bind(all: repeat each values)
    defer { reset() }
    return try step() ? read(self) : nil
  }

  /// Runs one step and returns whether there is a row.
  @inline(__always)
  func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw error()
  }

  /// Runs a statement without rows, resets it for the next binding, and returns the number of rows it changed.
  @inline(__always)
  @discardableResult
  func run() throws -> Int32 {
    let code = sqlite3_step(handle)
    guard code == SQLITE_DONE || code == SQLITE_ROW else {
      let failure = error()
      sqlite3_reset(handle)
      throw failure
    }
    let changes = sqlite3_changes(connection)
    sqlite3_reset(handle)
    return changes
  }

  var columnCount: Int { Int(sqlite3_column_count(handle)) }

  var columnNames: [String] {
    (0..<sqlite3_column_count(handle)).map { sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? "" }
  }

  @inline(__always)
  func reset() { sqlite3_reset(handle) }

  @inline(__always)
  func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  @inline(__always)
  func int32(_ column: Int32) -> Int32 { Int32(truncatingIfNeeded: sqlite3_column_int64(handle, column)) }

  @inline(__always)
  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  @inline(__always)
  func optionalInt64(_ column: Int32) -> Int64? {
    isNull(column) ? nil : sqlite3_column_int64(handle, column)
  }

  @inline(__always)
  func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }

  func optionalDouble(_ column: Int32) -> Double? {
    isNull(column) ? nil : sqlite3_column_double(handle, column)
  }

  /// Returns the bytes of a text or blob; valid until the next step.
  @inline(__always)
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  func string(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  func optionalString(_ column: Int32) -> String? { isNull(column) ? nil : string(column) }

  private func error() -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
      message: String(cString: sqlite3_errmsg(connection)))
  }
}

/// A value of a statement's parameter.
protocol StatementValue {
  func bind(to statement: SQLiteStatement, at index: Int32)
}

extension Int64: StatementValue {
  func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(index, self) }
}

extension Int32: StatementValue {
  func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(index, self) }
}

extension String: StatementValue {
  func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(index, self) }
}

extension Optional: StatementValue where Wrapped: StatementValue {
  func bind(to statement: SQLiteStatement, at index: Int32) {
    if let self { self.bind(to: statement, at: index) } else { statement.bindNull(index) }
  }
}
