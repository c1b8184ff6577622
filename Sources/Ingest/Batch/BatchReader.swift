public import EventModel

/// Reads files into batches of events: several small files per batch, large files over several batches.
///
/// ```swift
/// let reader = BatchReader(inputs: try InputFile.discover(paths), knownDigests: stored)
/// while let batch = try reader.next() { ... }
/// ```
///
/// `@unchecked Sendable`: one thread at a time may call ``next()`` and read ``skipped``; any thread may read
/// ``progress``, which has its own lock.
public final class BatchReader: @unchecked Sendable {
  /// A file whose content was read before, under any name.
  public struct SkippedFile: Sendable, Equatable {
    public var path: String
    /// SHA-256 of the stored bytes.
    public var digest: [UInt8]
  }

  public let progress: ReadingProgress
  /// Skipped files in the order of the inputs. Inputs that can be read only once, such as a pipe, have a ``FilePart``
  /// with the outcome `alreadyRead` instead.
  public private(set) var skipped: [SkippedFile] = []

  private let files: OpenedFiles
  /// Also read by the thread that opens files.
  private let knownDigests: Set<[UInt8]>
  /// Digests of the files read by this reader.
  private var ownDigests: Set<[UInt8]> = []
  private let limits: BatchLimits
  private var decoder = LineDecoder()
  private var file: FileReading?
  private var parts: [FilePart] = []
  /// Bytes of rejected lines in ``parts``.
  private var rejectedByteCount = 0

  /// - Parameters:
  ///   - inputs: Files in reading order.
  ///   - sources: Settings for vendor files.
  ///   - knownDigests: SHA-256 of files read before.
  ///   - batchRecordLimit: The most events in a batch.
  ///   - batchByteLimit: The bytes of texts, names, properties, terms and rejected lines at which a batch ends.
  ///   - blockByteCount: Stored bytes read at once.
  ///   - chunkByteCount: The most unpacked bytes added to the line buffer at once.
  public init(
    inputs: [InputFile], sources: SourceSettings = SourceSettings(), knownDigests: Set<[UInt8]> = [],
    batchRecordLimit: Int = 131_072, batchByteLimit: Int = 24 << 20, blockByteCount: Int = 64 << 10,
    chunkByteCount: Int = 64 << 10
  ) {
    precondition(
      (1...UserTable.capacity / 2).contains(batchRecordLimit) && batchByteLimit > 0,
      "batchRecordLimit is \(batchRecordLimit), but must be 1–\(UserTable.capacity / 2)")
    self.knownDigests = knownDigests
    limits = BatchLimits(records: batchRecordLimit, bytes: batchByteLimit)
    let sizes = inputs.compactMap(\.byteCount)
    let progress = ReadingProgress(bytesTotal: sizes.count == inputs.count ? sizes.reduce(0, +) : nil)
    self.progress = progress
    // Written by the decoding thread only; the opening threads just pass it on.
    nonisolated(unsafe) let buffer = LineBuffer(chunkByteCount: chunkByteCount)
    files = OpenedFiles(inputs, isKnown: { knownDigests.contains($0) }) { input in
      Result { () throws(FileFailure) in
        try FileReading(
          input, sources: sources, buffer: buffer, blockByteCount: blockByteCount, readingProgress: progress)
      }
    }
  }

  /// Returns the next batch; `nil` after the last.
  ///
  /// An error of one file is the outcome of its ``FilePart`` and does not stop the other files.
  public func next() throws -> EventBatch? {
    while !isFull {
      if file == nil { file = try openNext() }
      guard let file else {
        if !files.isAtEnd { continue }
        if !parts.isEmpty { return takeBatch() }
        // Returns the memory for a next batch, which may be tens of megabytes.
        decoder = LineDecoder()
        return nil
      }
      do {
        let room = BatchLimits(records: limits.records, bytes: limits.bytes - rejectedByteCount)
        switch try file.decode(into: &decoder, limits: room) {
        case .batchIsFull:
          addPart(of: file, .unfinished)
          file.beginNextPart()
          return takeBatch()
        case .fileIsRead:
          finish(file)
        }
      } catch {
        drop(file, .failed(reason: error.reason), isRemembered: error.isRemembered)
      }
      self.file = nil
    }
    return takeBatch()
  }

  /// Reuses the memory of a finished batch for the next one; its content is gone afterwards.
  ///
  /// Call it between calls of ``next()``, on the same thread. Optional: it saves about 5% of the time.
  public func recycle(_ batch: consuming EventBatch) {
    decoder.filler.recycle(batch)
  }

  /// Between two files a batch is full at half its limits, so that smaller files never span batches: a consumer must be
  /// able to undo a file of which it has seen only a part.
  private var isFull: Bool {
    decoder.filler.records.count >= (limits.records + 1) / 2
      || decoder.filler.byteCount + rejectedByteCount >= limits.bytes / 2
  }

  /// Opens the next input; `nil` if there is none, or if it has nothing to decode.
  private func openNext() throws -> FileReading? {
    guard let (input, opened) = try files.take() else { return nil }
    switch opened {
    case .success(let file):
      if file.source.isRegular && isKnown(file.digest) {
        skipped.append(SkippedFile(path: input.path, digest: file.digest))
        progress.advance(by: file.source.storedByteCount)
        return nil
      }
      file.begin(at: decoder.filler.mark)
      return file
    case .failure(let failure):
      let position = decoder.filler.records.count
      parts.append(
        FilePart(
          path: input.path, isFirst: true, records: position..<position, rejected: [],
          outcome: .failed(reason: failure.reason), digest: [], byteCount: input.byteCount ?? 0, lineCount: 0))
      return nil
    }
  }

  private func isKnown(_ digest: [UInt8]) -> Bool { knownDigests.contains(digest) || ownDigests.contains(digest) }

  private func finish(_ file: FileReading) {
    // Regular files were checked before decoding.
    if !file.source.isRegular && isKnown(file.digest) {
      drop(file, .alreadyRead)
    } else {
      ownDigests.insert(file.digest)
      addPart(of: file, .complete)
    }
  }

  /// Removes the file's events from the current batch.
  private func drop(_ file: FileReading, _ outcome: FilePart.Outcome, isRemembered: Bool = true) {
    decoder.filler.rollBack(to: file.mark)
    decoder.forgetApp()
    file.progress.beginNextPart()
    addPart(of: file, outcome)
    parts[parts.count - 1].isRemembered = isRemembered
  }

  private func addPart(of file: FileReading, _ outcome: FilePart.Outcome) {
    var part = FilePart(
      path: file.input.path, isFirst: !file.hasEarlierPart, records: file.mark.records..<decoder.filler.records.count,
      rejected: file.progress.rejected, outcome: outcome, digest: file.digest, byteCount: file.source.storedByteCount,
      lineCount: file.progress.count)
    part.csvHeader = file.csvHeader
    part.source = file.sourceName
    part.counts = file.progress.counts
    part.unkept = file.progress.unkept
    part.ignored = file.progress.ignored
    part.reading = file.reading
    parts.append(part)
    rejectedByteCount += file.progress.rejectedByteCount
  }

  private func takeBatch() -> EventBatch {
    let batch = decoder.filler.takeBatch(parts: parts)
    decoder.forgetApp()
    parts = []
    rejectedByteCount = 0
    return batch
  }
}
