import FolderSupport
import Foundation
import Ingest
import Metrics
import Reports
import Store

/// A store in a directory of its own, next to its input files.
struct TestStore {
  let directory: URL
  var path: String { directory.appendingPathComponent("tollgate.db").path }

  init(in directory: URL) throws {
    self.directory = directory
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  /// Writes a file next to the store.
  func write(_ data: Data, to name: String) throws -> InputFile {
    let url = directory.appendingPathComponent(name)
    try data.write(to: url)
    return try InputFile.discover([url.path])[0]
  }

  /// Writes each list of lines to a file, and ingests the files in order.
  @discardableResult
  func ingest(_ files: [String]..., commitEvents: Int = Ingestion.commitEvents) throws -> IngestSummary {
    let inputs = try files.map { lines in
      try write(Data(lines.map { $0 + "\n" }.joined().utf8), to: "\(UUID().uuidString).jsonl")
    }
    return try ingest(inputs, commitEvents: commitEvents)
  }

  @discardableResult
  func ingest(_ inputs: [InputFile], commitEvents: Int = Ingestion.commitEvents) throws -> IngestSummary {
    let store = try Store.openOrStart(path: path)
    return try Ingestion(store: store, commitEvents: commitEvents).run(inputs)
  }

  func differencesFromRebuild() throws -> [String] {
    try Store.open(readOnly: path).read { snapshot in
      try snapshot.differencesFromRebuild().map { "\($0.table) \($0.rows)" }
    }
  }

  /// Returns the default as-of of reports, by app (definitions 1.1).
  func newestAsOf() throws -> [String: Int64?] {
    try Store.open(readOnly: path).read { snapshot in
      Dictionary(uniqueKeysWithValues: try snapshot.apps().map { ($0.name, $0.newestAsOf) })
    }
  }

  /// Returns the reports as CSV, without those on states if rows cover several periods.
  func reports(_ options: ReportOptions = ReportOptions()) throws -> [String: String] {
    let store = try Store.open(readOnly: path)
    var texts: [String: String] = [:]
    var reports = [Funnel.report, Trials.report, Savings.report, Cancellations.report, Revenue.report]
    let periods: [Metrics.Dimension] = [.day, .week, .month]
    if (options.by ?? []).count(where: periods.contains) < 2,
      !options.filters.contains(where: { periods.contains($0.dimension) })
    {
      reports += [MRR.report, Subscriptions.report]
    }
    for make in reports {
      let report = try store.read { try make($0, options) }
      texts[report.name] = try render(report, as: .csv)
    }
    return texts
  }

  func sqlite() throws -> SQLiteFile { try SQLiteFile(path) }

  /// Returns the events, duplicates and conflicts over all ingested files.
  func counts() throws -> [Int] {
    try sqlite().rows("SELECT SUM(events), SUM(duplicates), SUM(conflicts) FROM files")[0].map { Int($0 ?? "") ?? 0 }
  }
}

/// Calls `body` with a store in a temporary directory.
func withTestStore<Result>(_ body: (TestStore) throws -> Result) throws -> Result {
  try withTemporaryDirectory { try body(TestStore(in: $0)) }
}
