import Basics
import EventModel
import Foundation
import Ingest
import Reports
import Store

/// The results of an ingest that is undone: for `ingest --dry-run` and `init`.
struct IngestPreview {
  /// The first event of each kind as canonical JSON.
  private(set) var examples: [EventKind: String] = [:]
  var summary: IngestSummary
  /// Rejected payloads by reason, and by type where the type is not mapped.
  private(set) var quarantined: [String: Int] = [:]

  /// Ingests the inputs into the store and undoes it; without a store, into a temporary one.
  init(_ inputs: [InputFile], _ settings: SourceSettings, storePath: String) throws {
    var path = storePath
    var folder: PartFile?
    if !FileManager.default.fileExists(atPath: storePath) {
      let temporary = try Store.temporaryFolder()
      folder = temporary
      path = "\(temporary.path)/store"
    }
    defer { if let folder { try? FileManager.default.removeItem(atPath: folder.path) } }
    let store = try Store.open(path: path)
    var ingestion = Ingestion(store: store, commitEvents: .max / 4, sources: settings)
    let found = Examples()
    ingestion.observe = { found.add($0) }
    ingestion.confirm = { _ in false }
    summary = try ingestion.run(inputs)
    examples = found.examples
    quarantined = summary.quarantined
    quarantined["not mapped"] = nil
    quarantined.merge(found.notMapped) { $1 }
  }

  /// Collects the first event of each kind.
  final class Examples {
    private(set) var examples: [EventKind: String] = [:]
    /// Payloads that are not mapped, by reason and type.
    private(set) var notMapped: [String: Int] = [:]

    func add(_ batch: EventBatch) {
      for line in batch.parts.flatMap(\.rejected) where line.reason == "not mapped" {
        notMapped[line.reason + (line.field.map { ": \($0)" } ?? ""), default: 0] += 1
      }
      for part in batch.parts {
        if let unkept = part.unkept["not mapped"] { notMapped["not mapped", default: 0] += unkept }
      }
      for record in batch.records where examples[record.kind] == nil {
        if batch.string(record.eventID).hasPrefix(SourceSettings.joinPrefix) { continue }
        examples[record.kind] = String(decoding: batch.canonicalJSON(of: record), as: UTF8.self)
      }
    }
  }

  func printText() {
    for kind in EventKind.inOrder {
      if let example = examples[kind] { print(ReportMarkup.shown(example)) }
    }
    if !examples.isEmpty { print("") }
    print(
      "\(counted(summary.files, "file")) (\(grouped(summary.failures.count)) failed), \(counted(summary.events, "event")), "
        + "\(counted(summary.duplicates, "duplicate")), \(counted(summary.conflicts, "conflict")), "
        + "\(grouped(summary.ignored)) left out; nothing is stored")
    for kind in EventKind.inOrder {
      if let count = summary.kinds[kind.name] { print("  \(kind.name) \(grouped(count))") }
    }
    if summary.reported > 0 {
      print("  \(counted(summary.reported, "count")) from App Store Connect reports, for `tollgate reconcile`")
    }
    print("\(grouped(summary.quarantinedLines)) would be rejected")
    for (reason, count) in Self.sorted(quarantined) { print(ReportMarkup.shown("  \(reason) \(grouped(count))")) }
    for failure in summary.failures {
      print(
        "\(ReportMarkup.shown(failure.path)): nothing would be ingested: \(ReportMarkup.shown(linesOf: failure.reason))"
      )
    }
  }

  func printJSON() {
    var output = IngestOutput(summary)
    (output.kinds, output.quarantined) = (summary.kinds, quarantined)
    output.sample = EventKind.inOrder.compactMap { examples[$0] }
    output.printed()
  }

  static func sorted(_ counts: [String: Int]) -> [(key: String, value: Int)] {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
  }
}

/// The summary of an ingest or its preview as JSON; each leaves out what the other alone has.
struct IngestOutput: Encodable {
  var files: Int
  var filesSkipped: Int?
  var filesEmpty: Int?
  var filesFailed: Int
  var failures: [[String: String]]
  var events: Int
  var duplicates: Int
  var conflicts: Int
  var ignored: Int
  var kinds: [String: Int]?
  var reported: Int
  var quarantined: [String: Int]
  var sample: [String]?
  var joins: Int?
  var seconds: Double?

  init(_ summary: IngestSummary) {
    (files, filesFailed) = (summary.files, summary.failures.count)
    failures = summary.failures.map { ["path": $0.path, "reason": $0.reason] }
    (events, duplicates, conflicts) = (summary.events, summary.duplicates, summary.conflicts)
    (ignored, reported, quarantined) = (summary.ignored, summary.reported, summary.quarantined)
  }

  func printed() {
    if let data = try? readableJSON(self, keys: .convertToSnakeCase) {
      print(String(decoding: data, as: UTF8.self), terminator: "")
    }
  }
}
