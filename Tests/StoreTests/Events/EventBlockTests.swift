import Basics
import EventModel
import GRDB
import Testing

@testable import Store

/// Blocks are read back by the program and, as an independent oracle, by SQLite's own text and JSON functions.
@Suite struct EventBlockTests {
  /// Returns the compared values of each event: all fields, with ids as texts.
  private static func texts(_ events: EventRows) -> [[String?]] {
    events.text.withUnsafeBytes { text in
      events.rows.map { row in
        func number(_ value: Int64) -> String? { value == EventRow.absent ? nil : String(value) }
        func after(_ value: Int64) -> String? { value == EventRow.absent ? nil : String(value - row.ts) }
        func id(_ id: RowID) -> String? {
          id.form == .absent ? nil : String(decoding: id.text(in: text), as: UTF8.self)
        }
        return [
          String(row.user), String(row.ts), String(row.kind.rawValue), id(row.eventID), String(row.file),
          number(row.receivedAfter), String(row.client), String(row.context), String(row.terms),
          String(row.properties), id(row.subscriptionID), id(row.transactionID), after(row.expiresAt),
          after(row.trialEndsAt), after(row.graceEndsAt), after(row.startedAt),
          row.previousUser == 0 ? nil : String(row.previousUser),
        ]
      }
    }
  }

  /// Numbers whose characters have one to four bytes, alone and in runs, from any place to any other.
  @Test func columnsAreReadFromAnyPlaceToAnyOther() {
    let edges: [Int64] = [0, 126, 127, 2046, 2047, 55_294, 55_295, ColumnText.limit - 1]
    let numbers = edges + [Int64](repeating: 5, count: 20) + edges.reversed() + [1, 2, 3]
    let text = numbers.withUnsafeBufferPointer { ColumnText.encode($0) }
    func read(_ places: Range<Int>, of text: ArraySlice<UInt8>) -> [Int64]? {
      var values = [Int64](repeating: -1, count: places.count)
      let isRead = text.withUnsafeBytes { bytes in
        values.withUnsafeMutableBufferPointer { ColumnText.decode(bytes, places: places, into: $0) }
      }
      return isRead ? values : nil
    }
    for first in 0...numbers.count {
      for end in first...numbers.count { #expect(read(first..<end, of: text[...]) == Array(numbers[first..<end])) }
    }
    #expect(read(0..<numbers.count + 1, of: text[...]) == nil)
    #expect(read(numbers.count + 1..<numbers.count + 2, of: text[...]) == nil)
    #expect(read(0..<8, of: text[..<(text.count / 8)]) == nil)
  }

  private static let columns =
    "user, ts, kind, event_id, file, received_after, client, context, terms, properties, subscription_id, "
    + "transaction_id, expires_after, trial_ends_after, grace_ends_after, started_after, previous_user"

  /// The range of the numbers in a block.
  enum Spread: CaseIterable {
    case usual
    /// Instants over decades, which need another unit.
    case decades
    /// Dictionary numbers without a character, which need a wide block.
    case wide
  }

  private static func random(_ count: Int, _ spread: Spread, _ random: inout SplitMix64) -> EventRows {
    var events = EventRows()
    var user = Int32.random(in: 1...5_000_000, using: &random)
    var ts = Int64.random(in: 0...1_800_000_000_000, using: &random)
    let hasDetails = Bool.random(using: &random)
    let hasOddIDs = Bool.random(using: &random)
    func optional(_ value: Int64) -> Int64 { Bool.random(using: &random) ? value : EventRow.absent }
    for place in 0..<count {
      if Int.random(in: 0..<3, using: &random) == 0 {
        user += .random(in: 1...900, using: &random)
        ts -= .random(in: 0...min(ts, 80_000_000_000), using: &random)
      }
      ts += .random(in: 0...(spread == .usual ? 86_400_000 : 30_000_000_000), using: &random)
      // Blocks have instants of events: 2008-01-01 to 2100-01-01.
      ts = min(max(ts, 1_199_145_600_000), 4_102_444_799_999)
      var row = EventRow()
      row.user = user
      row.ts = ts
      row.kind = EventKind.allCases.randomElement(using: &random) ?? .activity
      row.file = .random(in: 1...2000, using: &random)
      row.client = .random(in: 1...(spread == .wide ? 3_000_000 : 60_000), using: &random)
      row.context = .random(in: 0...60_000, using: &random)
      row.terms = .random(in: 0...200, using: &random)
      row.receivedAfter = optional(.random(in: -90_000_000...900_000_000_000, using: &random))
      var text: [UInt8] = []
      func id() -> RowID {
        if !hasOddIDs {
          return RowID(
            first: .random(in: 0...(.max), using: &random), second: .random(in: 1...(.max), using: &random), form: .uuid
          )
        }
        let odd = ["a\"b\\c", "\u{1}\n\t\u{1F}é😀", "null", "007", "123456789012345", "[1,2]"]
        let start = text.count
        text += Array("\(odd.randomElement(using: &random) ?? "")".utf8)
        return RowID(first: UInt64(start), second: UInt64(text.count - start), form: .text)
      }
      row.eventID = id()
      if hasDetails && place % 3 == 0 {
        row.expiresAt = optional(ts + .random(in: -1000...40_000_000_000, using: &random))
        row.trialEndsAt = optional(ts + 604_800_000)
        row.graceEndsAt = optional(ts + .random(in: 0...1_000_000, using: &random))
        row.startedAt = optional(ts - .random(in: -1000...40_000_000_000, using: &random))
        if Bool.random(using: &random) { row.subscriptionID = id() }
        if Bool.random(using: &random) { row.transactionID = id() }
        row.previousUser = Bool.random(using: &random) ? .random(in: 1...(.max), using: &random) : 0
      }
      text.withUnsafeBytes { events.append(row, text: $0) }
    }
    return events
  }

  @Test(arguments: Spread.allCases)
  func whatIsWrittenIsReadAgain(spread: Spread) throws {
    var random = SplitMix64(seed: 11)
    let queue = try DatabaseQueue()
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: Schema.eventBlockTable)
      try db.execute(sql: "CREATE TABLE place (n INTEGER PRIMARY KEY)")
      for n in 1...EventBlock.limit { try db.execute(sql: "INSERT INTO place VALUES (\(n))") }
      try db.execute(sql: EventBlock.rowViewSQL)
      let page = EventPage()
      try page.register(db, name: "event_page")
      let writer = try BlockTable.Writer(db)
      for count in [1, 2, 63, 200, EventBlock.limit] {
        for _ in 0..<4 {
          let events = Self.random(count, spread, &random)
          let expected = Self.texts(events)
          let block = EventBlock(events)
          if events.rows.contains(where: { $0.client > 1_200_000 }) { #expect(block.header.isWide == 1) }
          try db.execute(sql: "DELETE FROM event_block")
          try writer.insert(block, key: BlockKey.next(after: nil, run: 1, lastUser: block.lastUser))

          let cursor = try TableCursor(db, run: 1)
          #expect(try cursor.next(from: 0))
          var all = EventRows()
          try cursor.view.decode(0..<count, into: &all)
          #expect(Self.texts(all) == expected)
          var part = EventRows()
          try cursor.view.decode(count / 3..<count - count / 4, into: &part)
          #expect(Self.texts(part) == Array(expected[count / 3..<count - count / 4]))
          try page.load(cursor.view)
          for table in ["event_row", "event_page"] {
            let rows = try Row.fetchAll(db, sql: "SELECT \(Self.columns) FROM \(table)").map { row -> [String?] in
              row.databaseValues.map { value -> String? in
                value.isNull ? nil : String.fromDatabaseValue(value) ?? value.description
              }
            }
            #expect(rows == expected, "\(table)")
          }
        }
      }
    }
  }

  /// A truncated block gives an error, never other events.
  @Test func aBlockCutShortIsMalformed() throws {
    var random = SplitMix64(seed: 3)
    let events = Self.random(100, .usual, &random)
    let block = EventBlock(events)
    for column in [EventBlock.Column.user, .time, .client, .eventID] {
      var view = BlockView()
      view.header = block.header
      view.textColumns = block.textColumns
      let cut = Array(block.columns[column.rawValue].dropLast(20))
      cut.withUnsafeBytes { bytes in
        view.columns[column.rawValue] = bytes
        var rows = EventRows()
        #expect(throws: DatabaseError.self) { try view.decode(0..<100, into: &rows) }
      }
    }
  }
}
