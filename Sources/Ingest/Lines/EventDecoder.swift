public import EventModel

/// Decodes single lines in memory, such as quarantined ones, exactly as ``BatchReader`` decodes those of files.
public final class EventDecoder {
  private var decoder = LineDecoder()
  private let layout: CSVLayout?
  /// Used for vendor lines.
  private let sources: SourceSettings
  private let path: String
  private var reading: VendorReading?
  /// The counts of rows of aggregated reports.
  public private(set) var counts: [ReportedCount: Int] = [:]
  /// The current line with its end and padding.
  private var buffer: [UInt8] = []

  /// - Parameters:
  ///   - csvHeader: The header that names the columns if lines are CSV (``FilePart/csvHeader``); empty for JSON.
  ///   - sources: Settings for vendor payloads; by default every line is native.
  ///   - path: The path of the lines' file, which a mapping may look at.
  /// - Returns: `nil` if the header does not name two known fields, or names one twice.
  public init?(
    csvHeader: [UInt8] = [], sources: SourceSettings = SourceSettings(source: .native), path: String = ""
  ) {
    self.sources = sources
    self.path = path
    if csvHeader.isEmpty {
      layout = nil
    } else if let reading = SourceDetection.reading(csvHeader: csvHeader, sources, path: path) {
      self.reading = reading
      layout = nil
    } else {
      guard let layout = try? CSVLayout.read(header: csvHeader) else { return nil }
      self.layout = layout
    }
  }

  /// Decodes one line (or CSV record) without its end; at most half a million between calls of ``takeBatch()``.
  ///
  /// A vendor payload can give several events, or none if a mapping ignores it.
  ///
  /// - Parameter number: The line's number in its file.
  /// - Returns: `nil` if its events were added to the batch, else the rejection.
  public func decode(_ line: UnsafeRawBufferPointer, number: Int) -> RejectedLine? {
    precondition(decoder.filler.records.count < UserTable.capacity / 2, "the batch is full; take it")
    guard line.count <= Limits.lineBytes else { return Rejection.lineTooLong.rejectedLine(line, line: number) }
    if let reading {
      return decode(line, number: number) { reading.decodeRecord($0, line: $1, into: &$2, progress: &$3) }
    }
    if let reading = SourceDetection.reading(line: line, sources, path: path) {
      return decode(line, number: number) { reading.decode($0, line: $1, into: &$2, progress: &$3) }
    }
    buffer.removeAll(keepingCapacity: true)
    buffer.append(contentsOf: line)
    buffer.append(UInt8(ascii: "\n"))
    buffer.append(contentsOf: repeatElement(0, count: LineBuffer.padding))
    let rejection = buffer.withUnsafeBufferPointer { buffer in
      let start = buffer.baseAddress!
      // Before the buffer is freed: the decoder looks users up with a delay.
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

  /// Decodes one line given as an array; see ``decode(_:number:)``.
  public func decode(_ line: [UInt8], number: Int) -> RejectedLine? {
    line.withUnsafeBytes { decode($0, number: number) }
  }

  /// Returns the events decoded so far and starts a new batch; it has no ``EventBatch/parts``.
  public func takeBatch() -> EventBatch {
    decoder.forgetApp()
    return decoder.filler.takeBatch(parts: [])
  }
}
