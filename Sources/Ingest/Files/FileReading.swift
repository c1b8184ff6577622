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
        case .ndjson: decoder.decodeLines(of: buffer, isLast: isAtEnd, progress: &progress, limits: limits)
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

  /// Starts the next part, after a batch with an earlier part was returned.
  func beginNextPart() {
    hasEarlierPart = true
    mark = BatchFiller.Mark()
    progress.rejected = []
    progress.rejectedByteCount = 0
    progress.counts = [:]
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
    buffer.didFill(count)
    isAtEnd = count == 0
  }

  private func readUnpacked(into room: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    if decompressor == nil { decompressor = try Decompressor(source, copyFolder: sources.copyFolder) }
    return try decompressor?.read(into: room) ?? 0
  }

  private func finish() throws(FileFailure) {
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
    switch try SourceDetection.format(of: buffer, isWhole: isAtEnd || buffer.isFull, sources) {
    case .needsBytes: return nil
    case .vendor(let reading): return .vendor(reading)
    case .native: break
    }
    while true {
      let start = UnsafePointer(buffer.first)
      let end = UnsafePointer(buffer.last)
      guard let lineFeed = LineDecoder.lineFeed(from: start, to: end, isLast: isAtEnd) else {
        return buffer.count > Limits.lineBytes ? .ndjson : nil
      }
      if start == end { return .ndjson }
      let count = start.distance(to: lineFeed)
      if LineDecoder.isBlank(start, count: count) {
        progress.number += 1
        buffer.consume(upTo: min(lineFeed + 1, end))
        continue
      }
      if count > Limits.lineBytes || start.pointee == UInt8(ascii: "{") { return .ndjson }
      var header = Array(UnsafeBufferPointer(start: start, count: count))
      if header.last == UInt8(ascii: "\r") { header.removeLast() }
      guard let layout = try CSVLayout.read(header: header) else { return .ndjson }
      progress.number += 1
      buffer.consume(upTo: min(lineFeed + 1, end))
      return .csv(layout)
    }
  }
}
