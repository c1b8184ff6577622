import GRDB
import Testing

@testable import Store

/// Compares the events that an export writes with the view that SQLite reads by itself.
@Suite struct EventPageTests {
  /// Compares every value with its type, in the view's order, for no file, one block and several runs.
  @Test(arguments: [0, 1, 3])
  func aSnapshotsEventsAreThoseOfTheView(files: Int) throws {
    let lines = sampleLines.map { String(decoding: $0, as: UTF8.self) } + MessyEvents.lines
    try withTestStore { store in
      for file in 0..<files {
        try store.ingest(lines.enumerated().filter { $0.offset % files == file }.map(\.element))
      }
      if files == 0 { try store.ingest([String]()) }
      var columns: [String] = []
      var rows: [[ViewValue]] = []
      try Store.open(readOnly: store.path).read { snapshot in
        try snapshot.forEachRow(ofView: "events") {
          columns = $0
        } _: {
          rows.append($0)
        }
      }
      let viewed = try DatabaseQueue(path: store.path).read { db in
        let statement = try db.makeStatement(sql: "SELECT * FROM events")
        #expect(columns == statement.columnNames)
        let cursor = try Row.fetchCursor(statement)
        var viewed: [[ViewValue]] = []
        while let row = try cursor.next() {
          viewed.append(
            row.databaseValues.map { value in
              switch value.storage {
              case .null: .null
              case .int64(let number): .integer(number)
              case .double(let number): .real(number)
              case .string(let text): .text(text)
              case .blob(let data): .bytes([UInt8](data))
              }
            })
        }
        return viewed
      }
      #expect(rows == viewed)
      #expect(files == 0 ? rows.isEmpty : rows.count > 500)
    }
  }
}
