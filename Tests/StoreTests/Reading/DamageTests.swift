import Foundation
import Metrics
import Store
import Testing

/// A number that no program of this store writes ends a read with an error or is passed over; it never ends the program.
@Suite struct DamageTests {
  private static let lines: [String] = {
    let paid: [String: Any] = [
      "product_id": "p", "plan": "monthly", "price": "10", "currency": "USD", "subscription_id": "s", "country": "DE",
    ]
    func seen(_ id: String, _ user: String, _ variant: String) -> String {
      eventLine(
        "paywall_impression", id, at(1), user: user,
        ["entry_point": "w", "experiment": "e", "variant": variant, "price_monthly": "10", "price_yearly": "60"])
    }
    return [
      seen("1", "a", "control"), seen("2", "b", "new"),
      eventLine("trial_start", "3", at(2), user: "a", paid.merging(["trial_days": 7]) { one, _ in one }),
      eventLine("conversion", "4", at(9), user: "a", paid), eventLine("renewal", "5", at(39), user: "a", paid),
      eventLine("refund", "6", at(40), user: "a", ["subscription_id": "s"]),
      eventLine("identify", "7", at(41), user: "c", ["previous_user_id": "b"]),
      eventLine("activity", "8", at(80), user: "b"),
    ]
  }()

  /// Of each table the first row's columns, one at a time.
  @Test(arguments: [
    "entry_row", "exposure_row", "trial_row", "conversion_row", "spell_row", "payment_row", "refund_row", "origin",
    "user", "user_join", "client", "context", "terms", "name", "app_day", "arrival", "impression_cell", "trial_length",
  ])
  func numbersThatAreNoneEndNothing(table: String) throws {
    try withTestStore { store in
      try store.ingest(Self.lines)
      let file = try store.sqlite()
      let columns = try file.rows("SELECT name FROM pragma_table_info('\(table)') WHERE type = 'INTEGER'")
      for column in columns.compactMap({ $0[0] }) {
        let keys = try file.rows("SELECT name FROM pragma_table_info('\(table)') WHERE pk > 0").compactMap { $0[0] }
        let key = keys.isEmpty ? "rowid" : keys.joined(separator: ", ")
        let first = "(\(key)) = (SELECT \(key) FROM \(table) LIMIT 1)"
        for value in ["-1", "2147483648", "9223372036854775807", "-9223372036854775808"] {
          try file.execute("SAVEPOINT sound")
          try file.execute("CREATE TABLE kept AS SELECT * FROM \(table)")
          try file.execute("UPDATE \(table) SET \(column) = \(value) WHERE \(first)")
          try file.execute("RELEASE sound")
          for by in [nil, [Metrics.Dimension.country]] {
            var options = ReportOptions()
            options.by = by
            do { _ = try store.reports(options) } catch is StoreError {} catch is ReportError {}
          }
          try file.execute("DELETE FROM \(table)")
          try file.execute("INSERT INTO \(table) SELECT * FROM kept")
          try file.execute("DROP TABLE kept")
        }
      }
    }
  }

  /// Where a page of clients is not there, numbers of later ones remain.
  @Test func aMissingClientIsDamage() throws {
    try withTestStore { store in
      try store.ingest(Self.lines)
      try store.sqlite().execute("UPDATE client SET id = id + 1 WHERE id = (SELECT MAX(id) FROM client)")
      var options = ReportOptions()
      options.by = [.country]
      #expect(throws: StoreError.self) { try store.reports(options) }
    }
  }

  /// As where a bit of the list of tables has flipped.
  @Test func aTableOfAnotherNameIsDamage() throws {
    try withTestStore { store in
      try store.ingest(Self.lines)
      try store.sqlite().execute("ALTER TABLE name RENAME TO nbme")
      #expect {
        _ = try Store.open(readOnly: store.path).read { try $0.apps() }
      } throws: { error in
        if case .damaged(_, let reason) = error as? StoreError { reason.contains("no such table: ") } else { false }
      }
    }
  }

  /// SQLite writes format 4 into the last of the four bytes from byte 44 on (its file format, section 1.3).
  @Test func anUnknownFormatOfTheHeadIsDamage() throws {
    try withTestStore { store in
      try store.ingest(Self.lines)
      try store.sqlite().execute("PRAGMA wal_checkpoint(TRUNCATE)")
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: store.path))
      try file.seek(toOffset: 47)
      try file.write(contentsOf: [9])
      try file.close()
      #expect {
        _ = try Store.open(readOnly: store.path).read { try $0.apps() }
      } throws: { error in
        if case .damaged(_, let reason) = error as? StoreError { reason.contains("file format") } else { false }
      }
    }
  }

  /// The first row of each table has another type in one column, as where pages have changed places.
  @Test(arguments: ["file", "rejected_line", "unkept_line", "left_out", "rate", "app_day", "name"])
  func valuesOfAnotherTypeEndNothing(table: String) throws {
    try withTestStore { store in
      try store.ingest(Self.lines + ["no event", #"{"event":"activity","app":"demo"}"#])
      let file = try store.sqlite()
      try file.execute("INSERT INTO unkept_line VALUES (1, 'missing:ts', 2)")
      try file.execute("INSERT INTO left_out VALUES (1, 'demo', 'opened', 3)")
      // As the first import of rates makes it.
      try file.execute("CREATE TABLE rate (currency TEXT, date TEXT, usd_per_unit TEXT)")
      try file.execute("INSERT INTO rate VALUES ('USD', '2026-01-01', '1')")
      // A strict table refuses such values.
      try file.execute("CREATE TABLE kept AS SELECT * FROM \(table)")
      try file.execute("DROP TABLE \(table)")
      let columns = try file.rows("SELECT name FROM pragma_table_info('kept')").compactMap { $0[0] }
      #expect(!columns.isEmpty)
      for column in columns {
        for value in ["29", "'text'", "x'ff00'", "NULL", "2.5"] {
          try file.execute("CREATE TABLE \(table) AS SELECT * FROM kept")
          try file.execute("UPDATE \(table) SET \(column) = \(value) WHERE rowid = 1")
          let snapshot: (StoreSnapshot) throws -> Void = {
            for read in [
              { _ = try $0.inputTotals() }, { _ = try $0.manifest() }, { _ = try $0.fileStates() },
              { _ = try $0.state() },
              { _ = try $0.leftOutEvents() }, { _ = try $0.rejectedEvents() }, { _ = try $0.quarantined(behind: 0) },
              { _ = try $0.files() }, { _ = try $0.rates() }, { _ = try $0.apps() },
            ] as [(StoreSnapshot) throws -> Void] {
              do { try read($0) } catch {}
            }
          }
          do { try Store.open(readOnly: store.path).read(snapshot) } catch is StoreError {}
          try file.execute("DROP TABLE \(table)")
        }
      }
    }
  }
}
