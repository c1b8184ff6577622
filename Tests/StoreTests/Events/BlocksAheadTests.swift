import FolderSupport
import Foundation
import Testing

@testable import Store

/// Without times of receipt, a run of many blocks is decoded on another thread. The oracle is what was written.
@Suite struct BlocksAheadTests {
  private struct Written: Equatable {
    var user: Int32
    var ts: Int64
    var id: String
  }

  private static let blocks = 300
  private static let usersOfBlock: Int32 = 10
  private static let users = 1...Int32(blocks) * usersOfBlock

  /// Two events of each user; each third id is no UUID, so that blocks have ids as text.
  private static func events(of user: Int32) -> [Written] {
    [Int32(0), 1].map { number in
      let id =
        (user + number) % 3 == 0 ? "e\(user)-\(number)" : String(format: "%08x-0000-4000-8000-%012x", user, number)
      return Written(user: user, ts: at(0) + Int64(user * 2 + number) * 1000, id: id)
    }
  }

  private func withCursor(withArrival: Bool, _ body: (UserCursor) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let spill = SpillFile(storePath: directory.appendingPathComponent("store").path)
      spill.beginRun()
      for block in 0..<Int32(Self.blocks) {
        var rows = EventRows()
        for user in block * Self.usersOfBlock + 1...(block + 1) * Self.usersOfBlock {
          for event in Self.events(of: user) {
            var row = EventRow()
            (row.user, row.ts) = (user, event.ts)
            Data(event.id.utf8).withUnsafeBytes { text in
              row.eventID = RowID(text, at: 0)
              rows.append(row, text: text)
            }
          }
        }
        try spill.add(EventBlock(rows))
      }
      try body(UserCursor(spill.cursors[0], isDense: true, withArrival: withArrival))
    }
  }

  private func events(at cursor: UserCursor) throws -> [Written] {
    var rows = EventRows()
    try cursor.takeBlock(into: &rows)
    return rows.text.withUnsafeBytes { text in
      rows.rows.map { row in
        Written(user: row.user, ts: row.ts, id: String(decoding: row.eventID.text(in: text), as: UTF8.self))
      }
    }
  }

  @Test(arguments: [false, true]) func allEventsComeInOrder(withArrival: Bool) throws {
    try withCursor(withArrival: withArrival) { cursor in
      var found: [Written] = []
      while cursor.user != .max { found += try events(at: cursor) }
      #expect(found == Self.users.flatMap(Self.events))
    }
  }

  /// From user to user, within a block and over many.
  @Test(arguments: [false, true]) func usersCanBeSkipped(withArrival: Bool) throws {
    try withCursor(withArrival: withArrival) { cursor in
      for user: Int32 in [3, 4, 650, 655, 656, 1_999, 2_000, 2_991, 3_000] {
        try cursor.advance(to: user)
        #expect(try events(at: cursor) == Self.events(of: user))
      }
      #expect(cursor.user == .max)
    }
  }

  /// The thread ends with its cursor.
  @Test func aCursorCanBeLeftInTheMiddle() throws {
    try withCursor(withArrival: false) { cursor in
      try cursor.advance(to: 1_500)
      #expect(try events(at: cursor) == Self.events(of: 1_500))
    }
  }
}
