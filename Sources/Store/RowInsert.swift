internal import GRDB
import GRDBSQLite

/// Takes many rows into a table by one statement: `INSERT INTO table SELECT * FROM rows`, where `rows` is a virtual table
/// (sqlite.org/vtab.html) of numbers in memory.
///
/// A statement a row costs SQLite a start, an end, and the way from the root of the table to the row. One statement
/// for all has the first two once, and rows that come in order are appended where its cursor stands.
final class RowInsert {
  private let buffer: RowBuffer
  private let insert: SQLiteStatement

  /// - Parameters:
  ///   - table: With its schema; each column gets a value.
  ///   - columns: How many it has.
  ///   - textColumn: The one whose values are ``RowValues/append(text:)``.
  ///   - isBlob: Whether these are stored as blobs.
  init(_ db: Database, into table: String, columns: Int, textColumn: Int = -1, isBlob: Bool = false) throws {
    buffer = RowBuffer(columns: columns, textColumn: textColumn, isBlob: isBlob)
    let name = "rows_of_" + table.replacing(".", with: "_")
    try buffer.register(db, name: name)
    insert = try SQLiteStatement(db, "INSERT INTO \(table) SELECT * FROM \(name)")
  }

  /// Stores rows, which are empty behind it.
  func run(_ rows: inout RowValues) throws {
    if rows.isEmpty { return }
    swap(&buffer.rows, &rows)
    defer {
      swap(&buffer.rows, &rows)
      rows.removeAll()
    }
    try insert.run()
  }
}

/// Rows of numbers that SQLite reads as a table.
private final class RowBuffer {
  let columns: Int
  let textColumn: Int
  let isBlob: Bool
  @exclusivity(unchecked) var rows = RowValues()

  init(columns: Int, textColumn: Int, isBlob: Bool) {
    self.columns = columns
    self.textColumn = textColumn
    self.isBlob = isBlob
  }

  /// Makes the buffer a table of the connection, which keeps it until another takes the name.
  func register(_ db: Database, name: String) throws {
    let code = sqlite3_create_module_v2(
      db.sqliteConnection, name, Self.module, Unmanaged.passRetained(self).toOpaque()
    ) { buffer in
      if let buffer { Unmanaged<RowBuffer>.fromOpaque(buffer).release() }
    }
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  /// What SQLite holds for the table; it sees the first field only.
  private struct Table {
    var base = sqlite3_vtab()
    var buffer: Unmanaged<RowBuffer>
  }

  private struct Cursor {
    var base = sqlite3_vtab_cursor()
    var buffer: Unmanaged<RowBuffer>
    /// Place of the row's first value.
    var place = 0
  }

  private static func cursor(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<Cursor> {
    guard let cursor else { preconditionFailure("SQLite calls with a cursor") }
    return UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self)
  }

  nonisolated(unsafe) private static let module: UnsafeMutablePointer<sqlite3_module> = {
    var module = sqlite3_module()
    module.xConnect = { db, buffer, _, _, table, _ in
      guard let buffer, let table else { return SQLITE_ERROR }
      let owner = Unmanaged<RowBuffer>.fromOpaque(buffer)
      let columns = owner._withUnsafeGuaranteedRef { $0.columns }
      let list = (0..<columns).map { "c\($0)" }.joined(separator: ", ")
      let code = sqlite3_declare_vtab(db, "CREATE TABLE rows (\(list))")
      if code != SQLITE_OK { return code }
      let made = UnsafeMutablePointer<Table>.allocate(capacity: 1)
      made.initialize(to: Table(buffer: owner))
      table.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab.self)
      return SQLITE_OK
    }
    module.xDisconnect = { table in
      UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: Table.self).deallocate()
      return SQLITE_OK
    }
    module.xBestIndex = { _, _ in SQLITE_OK }
    module.xOpen = { table, cursor in
      guard let table = UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: Table.self), let cursor else {
        return SQLITE_ERROR
      }
      let made = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
      made.initialize(to: Cursor(buffer: table.pointee.buffer))
      cursor.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    module.xClose = {
      cursor($0).deallocate()
      return SQLITE_OK
    }
    module.xFilter = { given, _, _, _, _ in
      cursor(given).pointee.place = 0
      return SQLITE_OK
    }
    module.xNext = { given in
      let cursor = cursor(given)
      cursor.pointee.place += cursor.pointee.buffer._withUnsafeGuaranteedRef { $0.columns }
      return SQLITE_OK
    }
    module.xEof = { given in
      let cursor = cursor(given)
      return cursor.pointee.buffer._withUnsafeGuaranteedRef { cursor.pointee.place >= $0.rows.values.count } ? 1 : 0
    }
    module.xColumn = { given, context, column in
      let cursor = cursor(given)
      cursor.pointee.buffer._withUnsafeGuaranteedRef { buffer in
        buffer.give(cursor.pointee.place + Int(column), isText: Int(column) == buffer.textColumn, to: context)
      }
      return SQLITE_OK
    }
    module.xRowid = { given, id in
      id?.pointee = sqlite3_int64(cursor(given).pointee.place)
      return SQLITE_OK
    }
    let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    pointer.initialize(to: module)
    return pointer
  }()

  @inline(__always)
  private func give(_ place: Int, isText: Bool, to context: OpaquePointer?) {
    let value = rows.values[place]
    if isText {
      rows.text.withUnsafeBytes { bytes in
        let length = Int(value & 0xFF_FFFF)
        if isBlob {
          if length == 0 { return sqlite3_result_zeroblob(context, 0) }
          return sqlite3_result_blob(context, bytes.baseAddress?.advanced(by: Int(value >> 24)), Int32(length), nil)
        }
        // The text stays until the statement has run.
        sqlite3_result_text(
          context, bytes.baseAddress?.advanced(by: Int(value >> 24)).assumingMemoryBound(to: CChar.self),
          Int32(length), nil)
      }
    } else if value > RowValues.id {
      sqlite3_result_int64(context, value)
    } else if value == RowValues.null {
      sqlite3_result_null(context)
    } else {
      let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      switch rows.ids[place] {
      case .uuid(let bytes):
        bytes.withUnsafeBytes { sqlite3_result_blob(context, $0.baseAddress, Int32($0.count), transient) }
      case .text(let bytes):
        bytes.withUnsafeBytes {
          sqlite3_result_text(context, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), transient)
        }
      case .integer(let number): sqlite3_result_int64(context, number)
      case nil: sqlite3_result_null(context)
      }
    }
  }
}
