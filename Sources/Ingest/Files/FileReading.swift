internal import Basics
internal import EventModel

/// Reads one file into batches: opens and unpacks it, detects its format and decodes its lines.
final class FileReading {
  private enum Format {
    case ndjson
    case csv(CSVLayout)
    case vendor(VendorReading)
  }

  enum Pause {
    case batchIsFull
    case fileIsRead
  }

  let input: InputFile
  let source: ByteSource
  /// SHA-256 of the stored bytes; empty until it is known.
  private(set) var digest: [UInt8] = []
  var progress = LineProgress()
  /// Whether an earlier batch has a part of the file.
  private(set) var hasEarlierPart = false
  /// The start of the file in the batch being filled.
  private(set) var mark = BatchFiller.Mark()

  private let sources: SourceSettings
  private let buffer: LineBuffer
  private let readingProgress: ReadingProgress
  private var decompressor: Decompressor?
  private var recoder: TextRecoder?
  private var names = KnownNames()
  /// The list of events that the file is, if it is one.
  private var list: EventList?
  private var format: Format?
  private var isBegun = false
  private var isAtEnd = false
  /// Content unpacked before the file's turn.
  private var ahead: UnpackedAhead?
  /// Bytes of the source that were reported as progress.
  private var reportedByteCount: Int64 = 0

  /// Opens the input; a regular file is read once for its digest.
  ///
  /// - Parameter buffer: The buffer for the lines; unused until decoding starts.
  init(
    _ input: InputFile, sources: SourceSettings, buffer: LineBuffer, blockByteCount: Int,
    readingProgress: ReadingProgress
  ) throws(FileFailure) {
    self.input = input
    self.sources = sources
    self.buffer = buffer
    self.readingProgress = readingProgress
    source = try ByteSource(input, blockByteCount: blockByteCount)
    if source.isRegular { digest = try source.digestAhead() }
  }

  /// The header line of a CSV file; else empty.
  var csvHeader: [UInt8] {
    switch format {
    case .csv(let layout): layout.header
    case .vendor(let reading): reading.csvHeader
    case .ndjson, nil: []
    }
  }

  /// The format of the file: `native`, a vendor, `mapping`.
  var sourceName: String {
    if case .vendor(let reading) = format { return reading.source }
    return EventSource.native.rawValue
  }

  /// Starts the file's turn.
  ///
  /// - Parameter mark: The start of the file in the batch.
  func begin(at mark: BatchFiller.Mark) {
    self.mark = mark
    buffer.removeAll()
  }

  /// Decodes lines until the batch is full or the file ends.
  func decode(into decoder: inout LineDecoder, limits: BatchLimits) throws(FileFailure) -> Pause {
    decoder.filler.reserveRecords(limits.records)
    while true {
      if format == nil { format = try tellFormat() }
      let pause: DecodingPause =
        switch format {
        case nil: .needsBytes
        case .ndjson: try decodeLines(into: &decoder, limits)
        case .csv(let layout):
          decoder.decodeRecords(of: buffer, layout: layout, isLast: isAtEnd, progress: &progress, limits: limits)
        case .vendor(let reading):
          reading.decode(of: buffer, isLast: isAtEnd, into: &decoder, progress: &progress, limits: limits)
        }
      if pause == .batchIsFull { return .batchIsFull }
      if isAtEnd {
        try finish()
        return .fileIsRead
      }
      try fill()
    }
  }

  private func decodeLines(into decoder: inout LineDecoder, _ limits: BatchLimits) throws(FileFailure) -> DecodingPause
  {
    let pause = decoder.decodeLines(of: buffer, isLast: isAtEnd, progress: &progress, limits: limits)
    let hasEvents = hasEarlierPart || decoder.filler.records.count > mark.records
    if names.areUnknown(progress, hasEvents: hasEvents, isAtEnd: isAtEnd && pause != .batchIsFull) {
      throw UnknownFile.failure(names.first, path: input.path, isTable: false)
    }
    return pause
  }

  /// The text that is equal for equal readings.
  var reading: String { sources.reading(of: sourceName) }

  /// Starts the next part, after a batch with an earlier part was returned.
  func beginNextPart() {
    hasEarlierPart = true
    mark = BatchFiller.Mark()
    progress.beginNextPart()
    names.beginNextPart()
  }

  /// Unpacks the start of the file; an error is thrown only at the file's turn.
  func unpackAhead(_ byteCount: Int) { ahead = UnpackedAhead(atMost: byteCount, readUnpacked) }

  private func fill() throws(FileFailure) {
    defer {
      readingProgress.advance(by: source.byteCount - reportedByteCount)
      reportedByteCount = source.byteCount
    }
    let room = buffer.room()
    let count: Int
    if let unpacked = try ahead?.read(into: room) {
      count = unpacked
    } else {
      ahead = nil
      count = try readUnpacked(into: room)
    }
    list?.split(UnsafeMutableBufferPointer(start: buffer.last, count: count))
    buffer.didFill(count)
    isAtEnd = count == 0
  }

  private func readUnpacked(into room: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    if decompressor == nil { decompressor = try Decompressor(source, copyFolder: sources.copyFolder) }
    guard let decompressor else { return 0 }
    if recoder == nil {
      let isWindows1252 = sources.mapping?.table.isWindows1252 ?? sources.profile?.layout.table.isWindows1252 ?? false
      recoder = try TextRecoder(isWindows1252: isWindows1252, path: input.path) { bytes throws(FileFailure) in
        try decompressor.read(into: bytes)
      }
    }
    return try recoder?.read(into: room) { bytes throws(FileFailure) in try decompressor.read(into: bytes) } ?? 0
  }

  private func finish() throws(FileFailure) {
    if list?.isOpen == true { throw FileFailure("truncated: its JSON list does not end; copy the file again") }
    if source.isRegular {
      try source.checkUnchanged()
    } else {
      digest = source.digestBehind()
    }
  }

  /// Detects vendor formats, and, for the native format, CSV or NDJSON by the first line that is not blank; skips a
  /// byte-order mark and a CSV header.
  ///
  /// - Returns: `nil` while that line is incomplete.
  private func tellFormat() throws(FileFailure) -> Format? {
    guard buffer.count >= 3 || isAtEnd else { return nil }
    if !isBegun {
      isBegun = true
      if UnsafeBufferPointer(start: buffer.first, count: buffer.count).starts(with: [0xEF, 0xBB, 0xBF]) {
        buffer.consume(upTo: buffer.first + 3)
      }
    }
    // A full buffer must decide: more bytes would not fit, such as megabytes of blank lines.
    switch try SourceDetection.format(of: buffer, isWhole: isAtEnd || buffer.isFull, sources, path: input.path) {
    case .needsBytes: return nil
    case .vendor(let reading): return .vendor(reading)
    case .native: break
    }
    while true {
      let start = UnsafePointer(buffer.first)
      let end = UnsafePointer(buffer.last)
      guard let lineFeed = LineDecoder.lineFeed(from: start, to: end, isLast: isAtEnd) else {
        guard buffer.count > Limits.lineBytes else { return nil }
        try beginList()
        return .ndjson
      }
      if start == end { return .ndjson }
      let count = start.distance(to: lineFeed)
      if LineDecoder.isBlank(start, count: count) {
        progress.number += 1
        buffer.consume(upTo: min(lineFeed + 1, end))
        continue
      }
      if count > Limits.lineBytes { try beginList() }
      if count > Limits.lineBytes || start.pointee == UInt8(ascii: "{") { return .ndjson }
      var header = Array(UnsafeBufferPointer(start: start, count: count))
      if header.last == UInt8(ascii: "\r") { header.removeLast() }
      guard buffer.count >= SourceDetection.headByteCount || isAtEnd || buffer.isFull || hasLines(8) else { return nil }
      guard try isTable(header), let layout = try CSVLayout.read(header: header) else { return .ndjson }
      progress.number += 1
      buffer.consume(upTo: min(lineFeed + 1, end))
      return .csv(layout)
    }
  }

  private func hasLines(_ count: Int) -> Bool {
    UnsafeBufferPointer(start: buffer.first, count: buffer.count).lazy.filter { $0 == 0x0A }.prefix(count).count
      == count
  }

  /// Returns whether the first line is the header of a native table, or `false` if the lines are JSON of which the first
  /// is broken.
  ///
  /// - Throws: ``FileFailure`` if the line is the header of another table, or the start of a JSON list of other objects.
  private func isTable(_ header: [UInt8]) throws(FileFailure) -> Bool {
    let head = UnsafeRawBufferPointer(start: buffer.first, count: buffer.count)
    if header.first == UInt8(ascii: "[") {
      try beginList()
      return false
    }
    let lines = head.split(separator: 0x0A, maxSplits: 8, omittingEmptySubsequences: true).prefix(8)
    if lines.contains(where: { $0.first { $0 > 0x20 } == UInt8(ascii: "{") }) { return false }
    guard let names = header.withUnsafeBytes({ VendorHeader($0) })?.names else { return false }
    if Set(names).isSuperset(of: UnknownFile.required) { return true }
    throw UnknownFile.failure(names, path: input.path, isTable: true)
  }

  /// Reads the file as a list of events, if it starts one.
  ///
  /// - Throws: ``FileFailure`` if it starts a JSON list of other objects.
  private func beginList() throws(FileFailure) {
    let names = EventList.names(in: UnsafeRawBufferPointer(start: buffer.first, count: buffer.count))
    if names.isEmpty { return }
    guard Set(names).isSuperset(of: UnknownFile.required) else {
      throw UnknownFile.failure(names, path: input.path, isTable: false)
    }
    list = EventList()
    list?.split(UnsafeMutableBufferPointer(start: buffer.first, count: buffer.count))
  }
}

/// Finds out whether the first records of a JSON file have names of events.
private struct KnownNames {
  /// The number of records after which a file without known names is unknown.
  private static let recordCount = 1_000

  /// The names of the first record that has any.
  private(set) var first: [String] = []
  private var areKnown = false
  private var checkedCount = 0

  mutating func beginNextPart() { checkedCount = 0 }

  /// Returns whether no record so far has two names that every event has, and enough are read to say so.
  mutating func areUnknown(_ progress: LineProgress, hasEvents: Bool, isAtEnd: Bool) -> Bool {
    if areKnown { return false }
    areKnown = hasEvents
    for line in progress.rejected[min(checkedCount, progress.rejected.count)...] where !areKnown {
      guard line.raw.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { continue }
      let names = line.raw.withUnsafeBytes { JSONExtent.names(of: $0) }
      if first.isEmpty { first = names }
      areKnown = UnknownFile.required.filter(names.contains).count >= 2
    }
    checkedCount = progress.rejected.count
    return !areKnown && !first.isEmpty && (isAtEnd || progress.count >= Self.recordCount)
  }
}
