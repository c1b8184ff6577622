internal import GRDB
import GRDBSQLite

/// Inserts many rows into a table with one statement, `INSERT INTO table SELECT * FROM rows`, where `rows` is a virtual
/// table (sqlite.org/vtab.html) of numbers in memory.
///
/// With a statement per row, SQLite starts and ends each statement and searches the table from its root for each row. A
/// single statement starts and ends once, and rows in order are appended at its cursor.
final class RowInsert {
  private let buffer: RowBuffer
  private let insert: SQLiteStatement

  /// - Parameters:
  ///   - table: The table with its schema; each column gets a value.
  ///   - columns: The number of columns.
  ///   - textColumn: The column whose values come from ``RowValues/append(text:)``.
  ///   - isBlob: Whether these values are stored as blobs.
  init(_ db: Database, into table: String, columns: Int, textColumn: Int = -1, isBlob: Bool = false) throws {
    buffer = RowBuffer(columns: columns, textColumn: textColumn, isBlob: isBlob)
    let name = "rows_of_" + table.replacing(".", with: "_")
    try buffer.register(db, name: name)
    insert = try SQLiteStatement(db, "INSERT INTO \(table) SELECT * FROM \(name)")
  }

  /// Inserts rows and clears them.
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

/// Rows of numbers as a table for SQLite.
private final class RowBuffer: VirtualRows {
  let width: Int
  let textColumn: Int
  let isBlob: Bool
  @exclusivity(unchecked) var rows = RowValues()

  init(columns: Int, textColumn: Int, isBlob: Bool) {
    width = columns
    self.textColumn = textColumn
    self.isBlob = isBlob
    super.init(columns: (0..<columns).map { "c\($0)" })
  }

  override var count: Int { rows.values.count / width }

  override func give(row: Int, column: Int, to context: OpaquePointer?) {
    let place = row * width + column
    let value = rows.values[place]
    if column == textColumn {
      rows.text.withUnsafeBytes { bytes in
        let length = Int(value & 0xFF_FFFF)
        if isBlob {
          if length == 0 { return sqlite3_result_zeroblob(context, 0) }
          return sqlite3_result_blob(context, bytes.baseAddress?.advanced(by: Int(value >> 24)), Int32(length), nil)
        }
        // The text must stay valid until the statement has run.
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
