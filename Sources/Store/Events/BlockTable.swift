internal import GRDB
import GRDBSQLite

/// The table of ``EventBlock``s.
enum BlockTable {
  private static let columns = ["id"] + EventBlock.Header.names + EventBlock.Column.allCases.map { "\"\($0.name)\"" }

  /// Returns the query for blocks; the bytes of columns that are not asked for are NULL. `nil` asks for all.
  static func selectSQL(of asked: Set<EventBlock.Column>? = nil) -> String {
    let parts = EventBlock.Column.allCases.map { asked?.contains($0) ?? true ? "\"\($0.name)\"" : "NULL" }
    return "SELECT \((["id"] + EventBlock.Header.names + parts).joined(separator: ", ")) FROM main.event_block"
  }

  /// Writes blocks to the table.
  final class Writer {
    private let insert: SQLiteStatement
    private let replace: SQLiteStatement
    private let delete: SQLiteStatement

    init(_ db: Database) throws {
      let values = Array(repeating: "?", count: columns.count).joined(separator: ", ")
      // In a migrated store the table has its columns in another order.
      let into = "INTO event_block (\(columns.joined(separator: ", "))) VALUES (\(values))"
      insert = try SQLiteStatement(db, "INSERT \(into)")
      replace = try SQLiteStatement(db, "REPLACE \(into)")
      delete = try SQLiteStatement(db, "DELETE FROM event_block WHERE id = ?")
    }

    func insert(_ block: EventBlock, key: Int64) throws { try run(insert, block, key: key) }

    func replace(_ block: EventBlock, key: Int64) throws { try run(replace, block, key: key) }

    func remove(key: Int64) throws {
      try delete.run(binding: key)
    }

    private func run(_ statement: SQLiteStatement, _ block: EventBlock, key: Int64) throws {
      statement.bind(1, key)
      for (place, value) in block.header.values.enumerated() { statement.bind(Int32(place) + 2, value) }
      try bind(statement, block, from: 0)
    }

    /// Binds the columns from one on, each call nested in the previous one, because their bytes must stay valid until
    /// the statement has run.
    private func bind(_ statement: SQLiteStatement, _ block: EventBlock, from column: Int) throws {
      guard column < block.columns.count else {
        try statement.run()
        return
      }
      let index = Int32(column + 2 + EventBlock.Header.names.count)
      try block.columns[column].withUnsafeBytes { bytes in
        if bytes.isEmpty {
          statement.bindNull(index)
        } else if column < EventBlock.Column.eventID.rawValue || block.textColumns & (1 << column) != 0 {
          statement.bindText(index, bytes)
        } else {
          statement.bindBlob(index, bytes)
        }
        try bind(statement, block, from: column + 1)
      }
    }
  }
}

extension SQLiteStatement {
  /// Shows the block of a row of ``BlockTable/selectSQL(of:)``; it is valid until the next step.
  func show(in view: inout BlockView) {
    view.header = EventBlock.Header { int64(Int32($0) + 1) }
    view.textColumns = 0
    let first = Int32(EventBlock.Header.names.count + 1)
    for column in 0..<EventBlock.Column.allCases.count {
      let index = first + Int32(column)
      // Checks the type first: reading a text's bytes as a blob does not convert it, but NULL has no bytes.
      let type = type(index)
      if type == SQLITE_NULL {
        view.columns[column] = UnsafeRawBufferPointer(start: nil, count: 0)
      } else {
        view.columns[column] = bytes(index)
        if type == SQLITE_TEXT { view.textColumns |= 1 << column }
      }
    }
  }
}
