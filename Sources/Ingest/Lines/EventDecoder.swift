public import EventModel

/// Decodes single lines at hand, such as those in quarantine, exactly as ``BatchReader`` does those of files.
public final class EventDecoder {
  private var decoder = LineDecoder()
  private let layout: CSVLayout?
  /// Where the line is a vendor's.
  private let sources: SourceSettings
  private var reading: VendorReading?
  /// What rows of aggregated reports count.
  public private(set) var counts: [ReportedCount: Int] = [:]
  /// Of the line in hand, its end and the bytes behind it.
  private var buffer: [UInt8] = []

  /// - Parameters:
  ///   - csvHeader: The header that names the columns when lines are CSV (``FilePart/csvHeader``); empty when they are
  ///     JSON.
  ///   - sources: How payloads of vendors are read; by default every line is native.
  /// - Returns: `nil` when the header names no two known fields, or one twice.
  public init?(csvHeader: [UInt8] = [], sources: SourceSettings = SourceSettings(source: .native)) {
    self.sources = sources
    if csvHeader.isEmpty {
      layout = nil
    } else if let reading = SourceDetection.reading(csvHeader: csvHeader, sources) {
      self.reading = reading
      layout = nil
    } else {
      guard let layout = try? CSVLayout.read(header: csvHeader) else { return nil }
      self.layout = layout
    }
  }

  /// Decodes one line (or CSV record) without its end; at most half a million between calls of ``takeBatch()``. A
  /// vendor's payload can be several events, or none where a mapping passes it over.
  ///
  /// - Parameter number: Line of the file it came from.
  /// - Returns: `nil` when its event has been added to the batch, else what is wrong with it.
  public func decode(_ line: UnsafeRawBufferPointer, number: Int) -> RejectedLine? {
    precondition(decoder.filler.records.count < UserTable.capacity / 2, "the batch is full; take it")
    guard line.count <= Limits.lineBytes else { return Rejection.lineTooLong.rejectedLine(line, line: number) }
    if let reading {
      return decode(line, number: number) { reading.decodeRecord($0, line: $1, into: &$2, progress: &$3) }
    }
    if let reading = SourceDetection.reading(line: line, sources) {
      return decode(line, number: number) { reading.decode($0, line: $1, into: &$2, progress: &$3) }
    }
    buffer.removeAll(keepingCapacity: true)
    buffer.append(contentsOf: line)
    buffer.append(UInt8(ascii: "\n"))
    buffer.append(contentsOf: repeatElement(0, count: LineBuffer.padding))
    let rejection = buffer.withUnsafeBufferPointer { buffer in
      let start = buffer.baseAddress!
      // Before the buffer goes: the decoder looks users up a little later.
      defer { decoder.resolveUsers() }
      return if let layout {
        decoder.decodeSingleRecord(start, count: line.count, line: number, layout)
      } else {
        decoder.decodeJSON(start, count: line.count, line: number)
      }
    }
    return rejection?.rejectedLine(line, line: number)
  }

  private func decode(
    _ line: UnsafeRawBufferPointer, number: Int,
    _ decode: (UnsafeRawBufferPointer, Int, inout LineDecoder, inout LineProgress) -> Void
  ) -> RejectedLine? {
    var progress = LineProgress()
    decode(line, number, &decoder, &progress)
    counts.merge(progress.counts, uniquingKeysWith: +)
    return progress.rejected.first
  }

  /// The same for bytes in an array.
  public func decode(_ line: [UInt8], number: Int) -> RejectedLine? {
    line.withUnsafeBytes { decode($0, number: number) }
  }

  /// Hands over the events decoded so far and begins a new batch; it has no ``EventBatch/parts``.
  public func takeBatch() -> EventBatch {
    decoder.forgetApp()
    return decoder.filler.takeBatch(parts: [])
  }
}
