import FolderSupport
import Foundation
import Testing

/// Ingests files and compares the CSV byte for byte, without tolerance. The expected bytes come from independent
/// implementations (see the readme files of the two folders).
struct FixtureTests {
  @Test(arguments: Fixtures.names(in: Fixtures.own))
  func committedCase(_ name: String) throws {
    try check(name, in: Fixtures(folder: Fixtures.own), isRecorded: true)
  }

  @Test(
    .enabled(if: SharedFolder.isTried("data/fixtures"), "\(SharedFolder.absence(of: "data/fixtures"))"),
    arguments: Fixtures.names(in: Fixtures.shared))
  func sharedCase(_ name: String) throws {
    try check(name, in: Fixtures(folder: Fixtures.shared), isRecorded: false)
  }

  /// Otherwise no case would be tested.
  @Test(.enabled(if: SharedFolder.isTried("data/fixtures"), "\(SharedFolder.absence(of: "data/fixtures"))"))
  func thereAreSharedCases() throws {
    #expect(try Fixtures(folder: Fixtures.shared).cases.count >= 12)
  }

  @Test func everyFileOfACommittedCaseIsUsed() throws {
    let fixtures = try Fixtures(folder: Fixtures.own)
    #expect(!fixtures.cases.isEmpty)
    let expected = fixtures.cases.values.flatMap { $0.runs.map(\.expected) }
    for name in fixtures.cases.keys {
      let files = try FileManager.default.contentsOfDirectory(
        atPath: Fixtures.own.appendingPathComponent(name).path)
      for file in files where file.hasSuffix(".csv") { #expect(expected.contains("\(name)/\(file)")) }
    }
    #expect(Set(expected).count == expected.count)
  }

  /// The shared cases were made when reports had other rows by default.
  private static func formerRows(of run: Fixtures.Case.Run) -> [String] {
    if run.args.contains("--by") { return [] }
    switch run.report {
    case "funnel", "trials", "savings", "revenue", "mrr", "subscriptions", "retention", "ltv", "value", "refunds":
      return ["--by", "variant,entry_point"]
    case "cancellations": return ["--by", "variant,entry_point,plan"]
    default: return []
    }
  }

  /// - Parameter isRecorded: Whether `RECORD_GOLDEN=1` writes the expected files anew, which fails.
  private func check(_ name: String, in fixtures: Fixtures, isRecorded: Bool) throws {
    let one = try #require(fixtures.cases[name])
    let store = try TestStore(paths: [fixtures.events(of: name).path])
    let summary = store.summary
    #expect(summary.files == one.ingest.files)
    #expect(summary.filesSkipped == one.ingest.filesSkipped)
    #expect(summary.failures.count == one.ingest.filesFailed)
    #expect(summary.events == one.ingest.events)
    #expect(summary.duplicates == one.ingest.duplicates)
    #expect(summary.quarantined == one.ingest.quarantined)
    if let conflicts = one.ingest.conflicts { #expect(summary.conflicts == conflicts) }

    let records = isRecorded && ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"
    for run in one.runs {
      let csv = try Data(store.csv(run.report, run.args + Self.formerRows(of: run)).utf8)
      let file = fixtures.folder.appendingPathComponent(run.expected)
      if records {
        try csv.write(to: file)
        Issue.record("\(run.expected) was recorded: compare it with the oracle's, then run without RECORD_GOLDEN")
        continue
      }
      let expected = try Data(contentsOf: file)
      #expect(
        csv == expected,
        """
        \(run.expected): \(run.report) \(run.args.joined(separator: " "))
        expected
        \(String(decoding: expected, as: UTF8.self))
        and not
        \(String(decoding: csv, as: UTF8.self))
        """)
    }
  }
}
