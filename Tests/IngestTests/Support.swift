import EventModel
import EventSupport
import FolderSupport
import Foundation
import Testing

@testable import Ingest

extension TemporaryDirectory {
  /// Writes a file, creates its folders, and returns its path.
  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = path + "/" + name
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String { try write(Array(text.utf8), to: name) }
}

/// The results of a reader.
struct Reading {
  var events: [Event] = []
  var rejected: [RejectedLine] = []
  var parts: [FilePart] = []
  var skipped: [BatchReader.SkippedFile] = []
  var batchCount = 0

  init(_ reader: BatchReader) throws {
    while let batch = try reader.next() {
      batchCount += 1
      events += batch.records.map { Event(batch: batch, record: $0) }
      rejected += batch.parts.flatMap(\.rejected)
      parts += batch.parts
      #expect(batch.parts.map(\.records.count).reduce(0, +) == batch.records.count)
    }
    skipped = reader.skipped
  }

  /// Reads paths with the given block and chunk sizes.
  init(_ paths: [String], known: Set<[UInt8]> = [], records: Int = 131_072, block: Int = 4_096, chunk: Int = 65_536)
    throws
  {
    try self.init(
      BatchReader(
        inputs: try InputFile.discover(paths), knownDigests: known, batchRecordLimit: records,
        batchByteLimit: 64 << 20, blockByteCount: block, chunkByteCount: chunk))
  }

  /// Reads one file with the given content.
  init(content: [UInt8], block: Int = 4_096, chunk: Int = 65_536) throws {
    let folder = try TemporaryDirectory()
    try self.init([try folder.write(content, to: "events")], block: block, chunk: chunk)
  }

  init(content: String) throws { try self.init(content: Array(content.utf8)) }

  var reasons: [String] { rejected.map(\.reason) }
  var outcomes: [FilePart.Outcome] { parts.map(\.outcome) }
  /// The reasons why files failed.
  var failures: [String] {
    outcomes.compactMap { if case .failed(let reason) = $0 { reason } else { nil } }
  }
}

/// The result of a single line: an event, or the reason why it is rejected.
enum LineResult {
  case event(Event)
  case rejected(RejectedLine)

  var event: Event? { if case .event(let event) = self { event } else { nil } }
  var reason: String? { if case .rejected(let line) = self { line.reason } else { nil } }
}

func decode(_ line: [UInt8], csvHeader: String = "") throws -> LineResult {
  let decoder = try #require(EventDecoder(csvHeader: Array(csvHeader.utf8)))
  if let rejected = decoder.decode(line, number: 1) { return .rejected(rejected) }
  let batch = decoder.takeBatch()
  return .event(Event(batch: batch, record: try #require(batch.records.first)))
}

func decode(_ line: String, csvHeader: String = "") throws -> LineResult {
  try decode(Array(line.utf8), csvHeader: csvHeader)
}

/// Returns a valid event line: the common fields, a kind, and more members as JSON text.
func eventLine(_ kind: String = "activity", id: String = "e1", _ more: String = "") -> String {
  #"{"event_id":"\#(id)","event":"\#(kind)","ts":1772323200000,"app":"steps","user_id":"u1"\#(more.isEmpty ? "" : ",")\#(more)}"#
}

/// Returns a valid `activity` line with more members as JSON text.
func activityLine(_ more: String = "") -> String { eventLine("activity", more) }
