import EventModel
import Foundation
import Ingest
import Reports

/// The events that an ingest would store, for `ingest --dry-run`.
struct IngestPreview {
  /// The number of events printed in full.
  private static let sampleCount = 10

  private(set) var sample: [String] = []
  private(set) var kinds: [String: Int] = [:]
  /// Rejected payloads by reason, including those whose type is not mapped.
  private(set) var quarantined: [String: Int] = [:]
  private(set) var failures: [(path: String, reason: String)] = []
  private(set) var files = 0
  /// The paths of files with bytes, but without a line.
  private(set) var emptyFiles: [String] = []
  /// Rows of aggregated reports.
  private(set) var reported = 0

  /// Reads all inputs without a store, so that repeated events count each time.
  init(_ inputs: [InputFile], _ settings: SourceSettings) throws {
    let reader = BatchReader(inputs: inputs, sources: settings)
    while let batch = try reader.next() {
      for record in batch.records {
        kinds[record.kind.name, default: 0] += 1
        if sample.count < Self.sampleCount {
          sample.append(String(decoding: Event(batch: batch, record: record).canonicalJSONBytes, as: UTF8.self))
        }
      }
      for part in batch.parts {
        reported += part.counts.count
        for line in part.rejected {
          let type = line.reason == "not mapped" ? line.field.map { ": \($0)" } ?? "" : ""
          quarantined[line.reason + type, default: 0] += 1
        }
        switch part.outcome {
        case .complete:
          files += 1
          if part.lineCount == 0, part.byteCount > 0 { emptyFiles.append(part.path) }
        case .failed(let reason): failures.append((part.path, reason))
        case .unfinished, .alreadyRead: break
        }
      }
      reader.recycle(batch)
    }
  }

  private var events: Int { kinds.values.reduce(0, +) }

  func printText() {
    for line in sample { print(ReportMarkup.shown(line)) }
    if events > sample.count { print("... and \(grouped(events - sample.count)) more") }
    print("")
    print("\(grouped(files)) files (\(grouped(failures.count)) failed), \(grouped(events)) events; nothing is stored")
    for kind in EventKind.allCases {
      if let count = kinds[kind.name] { print("  \(kind.name) \(grouped(count))") }
    }
    if reported > 0 { print("  \(grouped(reported)) counts of aggregated reports, for `tollgate reconcile`") }
    let rejected = quarantined.values.reduce(0, +)
    print("\(grouped(rejected)) would go to quarantine")
    for (reason, count) in Self.sorted(quarantined) { print(ReportMarkup.shown("  \(reason) \(grouped(count))")) }
    for failure in failures { print(ReportMarkup.shown("\(failure.path): nothing would be taken: \(failure.reason)")) }
  }

  func printJSON() {
    struct Output: Encodable {
      var files: Int
      var filesFailed: Int
      var failures: [[String: String]]
      var events: Int
      var kinds: [String: Int]
      var reported: Int
      var quarantined: [String: Int]
      var sample: [String]
    }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let output = Output(
      files: files, filesFailed: failures.count,
      failures: failures.map { ["path": $0.path, "reason": $0.reason] }, events: events, kinds: kinds,
      reported: reported,
      quarantined: quarantined, sample: sample)
    if let data = try? encoder.encode(output) { print(String(decoding: data, as: UTF8.self)) }
  }

  private static func sorted(_ counts: [String: Int]) -> [(key: String, value: Int)] {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
  }
}
