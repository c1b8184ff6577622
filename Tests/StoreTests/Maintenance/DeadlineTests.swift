import FolderSupport
import Foundation
import GRDB
import Testing

@testable import Store

@Suite struct DeadlineTests {
  @Test func whatReadsBeyondItsTimeIsStopped() throws {
    try withTemporaryDirectory { url in
      let path = url.appendingPathComponent("store.db").path
      _ = try Store.open(path: path)
      let store = try Store.open(readOnly: path)
      let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n"
      let started = ContinuousClock.now
      #expect(throws: StoreError.tooSlow(path: path)) {
        try store.read(until: started + .milliseconds(200)) { _ = try Int.fetchOne($0.db, sql: endless) }
      }
      let elapsed = ContinuousClock.now - started
      #expect(elapsed >= .milliseconds(200) && elapsed < .seconds(10))
      // The next read has its own deadline.
      #expect(try store.read(until: .now + .seconds(60)) { try Int.fetchOne($0.db, sql: "SELECT 7") } == 7)
      #expect(try store.read { try Int.fetchOne($0.db, sql: "SELECT 8") } == 8)
    }
  }
}
