import EventModel
import FolderSupport
import Foundation
import Testing

@testable import Store

@Suite struct SpillFileTests {
  private func block(users: Range<Int32>) -> EventBlock {
    var rows = EventRows()
    for user in users {
      var row = EventRow()
      (row.user, row.ts) = (user, StoredRange.instants.lowerBound + Int64(user) * 1000)
      rows.append(row, text: UnsafeRawBufferPointer(start: nil, count: 0))
    }
    return EventBlock(rows)
  }

  private func users(_ spill: SpillFile, run: Int, from user: Int32 = 0) throws -> [Int32] {
    let cursor = spill.cursors[run]
    var users: [Int32] = []
    while try cursor.next(from: user) {
      var own: [Int32] = []
      try cursor.view.users(into: &own)
      users += own
    }
    return users
  }

  /// Blocks are found wherever they are: all in memory, all in the file but the last ones, or half of each.
  @Test(arguments: [1, 20_000, 1 << 26])
  func blocksAreReadBackFromMemoryAndFile(memoryBytes: Int) throws {
    try withTemporaryDirectory { directory in
      let spill = SpillFile(
        storePath: directory.appendingPathComponent("store").path, memoryBytes: memoryBytes, writtenBytes: 3000)
      for _ in 0..<2 {
        for run in 0..<3 {
          spill.beginRun()
          for start in stride(from: Int32(run + 1), to: 3000, by: 300) {
            try spill.add(block(users: start..<start + 300))
          }
        }
        for run in 0..<3 {
          #expect(try users(spill, run: run) == Array(Int32(run + 1)..<Int32(run + 3001)))
        }
        #expect(try users(spill, run: 1, from: 2500).first == 2402)
        // A block that is written again takes the place of the first.
        try spill.change(key: SpillFile.key(run: 0, block: 4)) { events in events.rows.removeAll { $0.user >= 1203 } }
        try spill.change(key: SpillFile.key(run: 0, block: 5)) { events in events.rows.removeAll() }
        #expect(try users(spill, run: 0) == Array(1..<1203) + Array(1801..<3001))
        try spill.removeAll()
        #expect(spill.cursors.isEmpty)
      }
      // The file has no name.
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }
  }
}
