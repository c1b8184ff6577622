internal import GRDB
import GRDBSQLite

/// Rows in memory that SQLite reads as a table of one connection (sqlite.org/vtab.html).
///
/// A subclass provides their number and values, which must not change while a statement runs.
class VirtualRows {
  let columns: [String]

  init(columns: [String]) { self.columns = columns }

  /// The current number of rows.
  var count: Int { 0 }

  /// Passes a value to one of the `sqlite3_result_*` functions.
  func give(row: Int, column: Int, to context: OpaquePointer?) { sqlite3_result_null(context) }

  /// Registers the rows as a table of the connection, which retains them until the name is registered again.
  func register(_ db: Database, name: String) throws {
    let code = sqlite3_create_module_v2(
      db.sqliteConnection, name, Self.module, Unmanaged.passRetained(self).toOpaque()
    ) { rows in
      if let rows { Unmanaged<VirtualRows>.fromOpaque(rows).release() }
    }
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  /// The object that SQLite holds for the table; SQLite uses only the first field.
  private struct Table {
    var base = sqlite3_vtab()
    var rows: Unmanaged<VirtualRows>
  }

  private struct Cursor {
    var base = sqlite3_vtab_cursor()
    var rows: Unmanaged<VirtualRows>
    var row = 0
    /// The number of rows when the walk started.
    var count = 0
  }

  private static func cursor(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<Cursor> {
    guard let cursor else { preconditionFailure("SQLite calls with a cursor") }
    return UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self)
  }

  nonisolated(unsafe) private static let module: UnsafeMutablePointer<sqlite3_module> = {
    var module = sqlite3_module()
    module.xConnect = { db, rows, _, _, table, _ in
      guard let rows, let table else { return SQLITE_ERROR }
      let owner = Unmanaged<VirtualRows>.fromOpaque(rows)
      let list = owner._withUnsafeGuaranteedRef { $0.columns }.joined(separator: ", ")
      let code = sqlite3_declare_vtab(db, "CREATE TABLE rows (\(list))")
      if code != SQLITE_OK { return code }
      let made = UnsafeMutablePointer<Table>.allocate(capacity: 1)
      made.initialize(to: Table(rows: owner))
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
      made.initialize(to: Cursor(rows: table.pointee.rows))
      cursor.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    module.xClose = {
      cursor($0).deallocate()
      return SQLITE_OK
    }
    module.xFilter = { given, _, _, _, _ in
      let cursor = cursor(given)
      cursor.pointee.row = 0
      cursor.pointee.count = cursor.pointee.rows._withUnsafeGuaranteedRef { $0.count }
      return SQLITE_OK
    }
    module.xNext = { given in
      cursor(given).pointee.row += 1
      return SQLITE_OK
    }
    module.xEof = { given in
      let cursor = cursor(given)
      return cursor.pointee.row >= cursor.pointee.count ? 1 : 0
    }
    module.xColumn = { given, context, column in
      let cursor = cursor(given)
      cursor.pointee.rows._withUnsafeGuaranteedRef {
        $0.give(row: cursor.pointee.row, column: Int(column), to: context)
      }
      return SQLITE_OK
    }
    module.xRowid = { given, id in
      id?.pointee = sqlite3_int64(cursor(given).pointee.row)
      return SQLITE_OK
    }
    let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    pointer.initialize(to: module)
    return pointer
  }()
}
