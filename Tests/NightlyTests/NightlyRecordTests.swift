import Basics
import EventModel
import FolderSupport
import Foundation
import Metrics
import Testing

@testable import Nightly

@Suite struct NightlyRecordTests {
  private struct NoCommands: NightlyCommands {
    func report(_ words: [String]) throws -> NightlyReportMaker { { _ in {} } }
    func request(_ words: [String]) throws -> ReportRequest { ReportRequest(.funnel) }
    func output(_ words: [String]) throws -> String? { nil }
    func reading(store: String?) -> Self { self }
    func status(of error: any Error) -> Basics.ExitStatus { .failure }
    func message(of error: any Error) -> String { "\(error)" }
  }

  private static func record(_ night: CivilDate) throws -> NightlyRecord {
    let config = try NightlyConfig(yaml: Data("sources: [{files: e*}]".utf8), name: "n.yaml", commands: NoCommands())
    var record = NightlyRecord(night: night, config: config, store: "s.db")
    (record.files, record.events, record.status) = (2, 1_234, 4)
    record.findings = [NightlyFinding(check: .missing, subject: "a", message: "a is missing")]
    record.missing = ["a", "b"]
    return record
  }

  @Test func aRecordIsKeptAndReadBack() throws {
    let folder = try TemporaryDirectory()
    let records = NightlyRecords(folder: folder.url.path + "/records")
    let night = try #require(CivilDate("2026-03-02"))
    let record = try Self.record(night)
    #expect(try records.keep(record, of: night) == record)
    #expect(try records.record(of: night) == record && records.nights == [night])
    // The clock alone changes nothing.
    var again = record
    (again.startedAt, again.seconds) = ("2026-03-02T05:00:00Z", 9)
    #expect(try records.keep(again, of: night) == record)
    let next = try #require(CivilDate("2026-03-03"))
    #expect(try records.last(before: next) == record && records.last(before: night) == nil)
    try Data("{}".utf8).write(to: URL(fileURLWithPath: records.path(of: next)))
    #expect(throws: UsageError.self) { try records.record(of: next) }
  }

  @Test func consecutiveMissingDaysAreOneLine() throws {
    var record = try Self.record(try #require(CivilDate("2026-03-09")))
    record.findings = [
      ("x", 3, true), ("x", 4, true), ("x", 5, true), ("x", 7, true), ("x", 8, false), ("y", 9, false),
    ]
    .map { files, day, isNew in
      var finding = NightlyFinding(
        check: .missing, subject: "\(files) 2026-03-0\(day)",
        message: "\(files): 0 of 5 files of 2026-03-0\(day) arrived", value: 0, limit: 5)
      finding.isNew = isNew
      return finding
    }
    record.missing = ["x 2026-03-01", "x 2026-03-02", "y 2026-03-03"] + record.findings.map(\.subject)
    #expect(
      record.text == """
        2026-03-09: 2 new files, 1,234 events, 0 duplicates, 0 rejected; status 4
        new      missing: x: 0 of 5 files of each day from 2026-03-03 to 2026-03-05 (3 days) arrived
        new      missing: x: 0 of 5 files of 2026-03-07 arrived
        standing missing: x: 0 of 5 files of 2026-03-08 arrived
        standing missing: y: 0 of 5 files of 2026-03-09 arrived
        standing missing: x 2026-03-01 to 2026-03-02 (2 days)
        standing missing: y 2026-03-03
        """)
  }

  @Test func aRecordIsReadAsLinesAndAsGauges() throws {
    let record = try Self.record(try #require(CivilDate("2026-03-02")))
    #expect(
      record.text == """
        2026-03-02: 2 new files, 1,234 events, 0 duplicates, 0 rejected; status 4
        new      missing: a is missing
        standing missing: b
        """)
    let gauges = NightlyMetrics(record: record).text.split(separator: "\n")
    // 2026-03-02T00:00:00Z, by `date -u +%s`.
    #expect(gauges.contains("tollgate_nightly_night_timestamp_seconds 1772409600"))
    #expect(gauges.contains(#"tollgate_nightly_findings{check="missing",state="new"} 1"#))
    #expect(gauges.contains("tollgate_nightly_missing 2"))
  }
}
