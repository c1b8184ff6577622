public import EventModel

/// Decodes single lines at hand, such as those in quarantine, exactly as ``BatchReader`` does those of files.
public final class EventDecoder {
  private var decoder = LineDecoder()
  private let layout: CSVLayout?
  private let buffer: UnsafeMutablePointer<UInt8>

  /// - Parameter csvHeader: The header that names the columns when lines are CSV (``FilePart/csvHeader``); empty when
  ///   they are JSON.
  /// - Returns: `nil` when the header names no two known fields, or one twice.
  public init?(csvHeader: [UInt8] = []) {
    if csvHeader.isEmpty {
      layout = nil
    } else {
      guard let layout = try? CSVLayout.read(header: csvHeader) else { return nil }
      self.layout = layout
    }
    buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: Limits.lineBytes + LineBuffer.padding)
    buffer.initialize(repeating: 0, count: Limits.lineBytes + LineBuffer.padding)
  }

  deinit { buffer.deallocate() }

  /// Decodes one line (or CSV record) without its end.
  ///
  /// - Parameter number: Line of the file it came from.
  /// - Returns: `nil` when its event has been added to the batch, else what is wrong with it.
  public func decode(_ line: UnsafeRawBufferPointer, number: Int) -> RejectedLine? {
    guard line.count <= Limits.lineBytes else { return Rejection.lineTooLong.rejectedLine(line, line: number) }
    UnsafeMutableRawBufferPointer(start: buffer, count: line.count).copyMemory(from: line)
    buffer[line.count] = UInt8(ascii: "\n")
    let rejection =
      if let layout {
        decoder.decodeSingleRecord(buffer, count: line.count, line: number, layout)
      } else {
        decoder.decodeJSON(buffer, count: line.count, line: number)
      }
    decoder.resolveUsers()
    return rejection?.rejectedLine(line, line: number)
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
