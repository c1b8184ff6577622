internal import EventModel
internal import Foundation
internal import Ingest
internal import Lifecycle

/// Decodes files into events with the decoder of `ingest`: writes packs of events, and rows of rejected lines and files.
public struct DecodeWorker {
  /// Lines that are decoded together.
  private static let batchLines = 4096

  private let input: RowInput
  private let output: RowOutput
  private let packs: PackOutput
  /// The folder for a file's bytes while they are read.
  private let folder: String

  /// - Parameter buckets: The number of buckets of users.
  public init(input: RowInput, output: RowOutput, folder: String, buckets: Int) {
    self.input = input
    self.output = output
    self.folder = folder
    packs = PackOutput(output, buckets: buckets)
  }

  // MARK: Files

  /// Reads whole files as `ingest` does; the bytes determine the format, the compression and whether a file is
  /// complete.
  public func runFiles() throws {
    while try input.next(columns: WorkerInput.fileColumns) {
      let path = try input.required(input.text(0), 0)
      try decode(input.base64(1), of: path)
    }
    try finish()
  }

  private func decode(_ content: [UInt8], of path: String) throws {
    let copy = "\(folder)/tollgate-\(UUID().uuidString).part"
    do {
      try Data(content).write(to: URL(fileURLWithPath: copy))
    } catch {
      throw WorkerFault(.io, "\(path): \(folder) has no room for it: \(error.localizedDescription)")
    }
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let reader = BatchReader(
      inputs: [InputFile(pathBytes: Array(copy.utf8), byteCount: Int64(content.count))],
      sources: SourceSettings(source: .native))
    var rejected = 0
    while let batch = try reader.next() {
      try write(batch, path: path, block: 0)
      for part in batch.parts {
        for line in part.rejected {
          rejected += 1
          try write(line, path: path, block: 0)
        }
        rejected += part.unkept.values.reduce(0, +)
        switch part.outcome {
        case .unfinished: continue
        case .complete, .alreadyRead: try write(part, path: path, rejected: rejected, failure: nil)
        case .failed(let reason): try write(part, path: path, rejected: 0, failure: reason)
        }
      }
    }
  }

  private func write(_ part: FilePart, path: String, rejected: Int, failure: String?) throws {
    output.begin(.file)
    output.append(
      path, 0, part.digest.hexadecimal, part.byteCount, part.lineCount, part.lineCount, rejected,
      part.csvHeader.isEmpty ? nil : String(decoding: part.csvHeader, as: UTF8.self), failure)
    try output.endRow()
  }

  // MARK: Lines

  /// Reads lines of NDJSON into which Spark split the files; the lines of a block must follow each other.
  public func runLines() throws {
    guard let decoder = EventDecoder() else { preconditionFailure("JSON needs no header") }
    var place: (path: String, block: Int64)?
    var counts = (all: 0, lines: 0, rejected: 0)
    var pending = 0
    func take() throws {
      guard pending > 0, let place else { return }
      let batch = decoder.takeBatch()
      try write(batch, path: place.path, block: place.block)
      pending = 0
    }
    func endBlock() throws {
      guard let place else { return }
      try take()
      // Line numbers start at the block, so a pack must not span blocks.
      try packs.flush()
      output.begin(.file)
      output.append(
        place.path, place.block, "", 0, counts.all, counts.lines, counts.rejected, String?.none, String?.none)
      try output.endRow()
    }
    while try input.next(columns: WorkerInput.lineColumns) {
      let path = try input.required(input.text(0), 0)
      let block = try input.required(input.integer(1), 1)
      if place?.path != path || place?.block != block {
        try endBlock()
        place = (path, block)
        counts = (0, 0, 0)
      }
      counts.all += 1
      var line = try input.bytes(2) ?? input.base64(3)
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      if block == 0, counts.all == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      counts.lines += 1
      if block == 0, counts.lines == 1, line.first != UInt8(ascii: "{"),
        line.starts(with: [0x1F, 0x8B]) || line.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
          || String(decoding: line, as: UTF8.self).contains("event_id")
      {
        throw WorkerFault(
          .data,
          "\(path): is not NDJSON by its first line, and too large to be read whole; "
            + "split it, name compressed files .gz or .zst, or raise --whole-file")
      }
      if let rejected = decoder.decode(line, number: counts.all) {
        counts.rejected += 1
        try write(rejected, path: path, block: block)
      } else {
        pending += 1
        if pending == Self.batchLines { try take() }
      }
    }
    try endBlock()
    try finish()
  }

  private func write(_ line: RejectedLine, path: String, block: Int64) throws {
    output.begin(.rejected)
    output.append(path, block, line.line, line.reason, line.field)
    if String(validating: line.raw, as: UTF8.self) != nil, !line.raw.contains(0) {
      output.append(line.raw)
      output.appendNull()
    } else {
      output.appendNull()
      output.append(Base64.text(of: line.raw))
    }
    try output.endRow()
  }

  private func write(_ batch: EventBatch, path: String, block: Int64) throws {
    var rows = EventRows(batch, path: path, block: block)
    packs.beginPlace(path: Array(path.utf8), block: block)
    try rows.write(to: packs)
    try rows.writeJoins(to: output)
  }

  private func finish() throws {
    try packs.end()
    try output.end(input)
  }
}

/// Writes the events of a batch as rows.
private struct EventRows {
  private let batch: EventBatch
  private let path: [UInt8]
  private let block: Int64
  private var json: [UInt8] = []
  /// The numbers that identify a reduced impression.
  private struct Impression: Hashable {
    var app: UInt32
    var context: UInt32
    var terms: UInt32
  }

  /// The impressions written so far.
  private var impressions: [Impression: [UInt8]] = [:]

  init(_ batch: EventBatch, path: String, block: Int64) {
    self.batch = batch
    self.path = Array(path.utf8)
    self.block = block
  }

  mutating func write(to output: PackOutput) throws {
    try batch.withRecordContents { contents in
      for record in batch.records { try write(record, contents, to: output) }
    }
  }

  private mutating func write(_ record: EventRecord, _ contents: RecordContents, to output: PackOutput) throws {
    func append(_ text: UnsafeRawBufferPointer?) {
      if let text { output.append(text) } else { output.appendNull() }
    }
    let client = batch.clients.rows[Int(record.client)]
    let isFamilyShared = batch.terms.rows[Int(record.terms)].isFamilyShared
    let app = Self.app(client, contents)
    let user = contents.user(record.user)
    // Which newest instant of its app the event may set.
    let stamp: String? = client.isSandbox ? nil : EventClock(ts: record.ts, receivedAt: record.receivedAt).rawValue
    output.begin(.event, app: app, user: user, instant: record.ts)
    output.append(app, user)
    append(contents.text(record.eventID))
    output.append(record.kind.name, record.ts, record.receivedAt, stamp, client.isSandbox, isFamilyShared)
    append(record.previousUser.map { contents.user($0) })
    if record.kind == .paywallImpression,
      EventDictionaries.counts(isSandbox: client.isSandbox, isFamilyShared: isFamilyShared)
    {
      output.append(impression(record, contents))
    } else {
      output.appendNull()
    }
    json.removeAll(keepingCapacity: true)
    contents.appendCanonicalJSON(of: record, to: &json)
    output.append(json, path, block, Int64(record.line), Int64(bitPattern: record.identityHash))
    try output.endRow()
  }

  /// Writes the users that events join (definitions 1.3).
  func writeJoins(to output: RowOutput) throws {
    try batch.withRecordContents { contents in
      for record in batch.records {
        guard let previous = record.previousUser else { continue }
        let client = batch.clients.rows[Int(record.client)]
        output.begin(.join)
        output.append(
          Self.app(client, contents), contents.user(record.user), contents.user(previous), record.ts, client.isSandbox,
          batch.terms.rows[Int(record.terms)].isFamilyShared, path, Int64(bitPattern: record.identityHash))
        try output.endRow()
      }
    }
  }

  private static func app(_ client: ClientNames, _ contents: RecordContents) -> UnsafeRawBufferPointer {
    guard let app = contents.name(client.app) else { preconditionFailure("an event has an app") }
    return app
  }

  private mutating func impression(_ record: EventRecord, _ contents: RecordContents) -> [UInt8] {
    let key = Impression(
      app: batch.clients.rows[Int(record.client)].app, context: record.context, terms: record.terms)
    if let known = impressions[key] { return known }
    var json: [UInt8] = []
    contents.appendTerms(of: record, withContext: true, to: &json)
    impressions[key] = json
    return json
  }
}
