internal import EventModel
internal import Foundation

extension LineDecoder {
  /// Decodes the complete records of the buffer; the header must be consumed already.
  ///
  /// A record with wrong quotes is rejected with its first line only, and decoding continues with the next line, so
  /// that a stray quote costs one line and not the rest of the file.
  ///
  /// - Parameter isLast: Whether no more bytes follow.
  mutating func decodeRecords(
    of buffer: LineBuffer, layout: CSVLayout, isLast: Bool, progress: inout LineProgress, limits: BatchLimits
  ) -> DecodingPause {
    var start = UnsafePointer(buffer.first)
    let end = UnsafePointer(buffer.last)
    if isLast { buffer.seal() }
    defer {
      resolveUsers()
      buffer.consume(upTo: start)
    }

    while start < end {
      if isFull(limits, progress) { return .batchIsFull }
      let lineFeed = Self.lineFeed(from: start, to: end, isLast: isLast)
      if progress.skipsToLineEnd {
        start = lineFeed.map { min($0 + 1, end) } ?? end
        progress.skipsToLineEnd = lineFeed == nil
        continue
      }
      if let lineFeed, Self.isBlankCSV(start, count: start.distance(to: lineFeed), delimiter: layout.delimiter) {
        progress.number += 1
        start = min(lineFeed + 1, end)
        continue
      }

      let window = min(end, start + Limits.lineBytes + 2)
      fields.begin(lineCount: start.distance(to: window))
      let outcome = record.read(
        start, to: window, isLast: isLast && window == end, delimiter: layout.delimiter, fields: &fields)
      let rejection: Rejection?
      let content: Int
      let next: UnsafePointer<UInt8>
      if case .complete(let contentEnd, let behind) = outcome {
        content = start.distance(to: contentEnd)
        next = behind
        rejection = decodeRecord(start, count: content, line: progress.number + 1, layout)
      } else if start.distance(to: end) <= Limits.lineBytes + 1 && (outcome == .needsBytes || lineFeed == nil) {
        return .needsBytes
      } else if let lineFeed {
        content = Self.contentCount(start, to: lineFeed)
        next = min(lineFeed + 1, end)
        rejection = outcome == .badQuotes ? Self.unfit(start, count: content) ?? .csvQuotes : .lineTooLong
      } else {
        content = start.distance(to: end)
        next = end
        rejection = .lineTooLong
        progress.skipsToLineEnd = true
      }
      let line = progress.number + 1
      progress.number += Self.lineCount(start, to: next)
      progress.count += 1
      if let rejection { progress.reject(rejection, start, count: content, line: line) }
      start = next
    }
    return .needsBytes
  }

  /// Decodes the record whose cells were just read.
  mutating func decodeRecord(
    _ start: UnsafePointer<UInt8>, count: Int, line: Int, _ layout: CSVLayout
  ) -> Rejection? {
    if let rejection = Self.unfit(start, count: count) { return rejection }
    guard record.cells.count == layout.columns.count else { return .csvCells }
    for (cell, column) in zip(record.cells, layout.columns) {
      switch column {
      case .field(let code): fields.set(code, cell)
      case .property(let name): fields.properties.append(PropertyValue(name: name, value: cell, isExplicit: false))
      }
    }
    if fields.has(.properties), case let cell = fields[.properties],
      TextCheck.hasNulEscape(cell.start, count: Int(cell.count))
    {
      return .nul
    }
    return appendRecord(line: line)
  }

  /// Decodes bytes as one record without its end.
  mutating func decodeSingleRecord(
    _ start: UnsafePointer<UInt8>, count: Int, line: Int, _ layout: CSVLayout
  ) -> Rejection? {
    let end = start + count
    fields.begin(lineCount: count)
    let outcome = record.read(start, to: end, isLast: true, delimiter: layout.delimiter, fields: &fields)
    guard case .complete(_, let next) = outcome, next == end else {
      return Self.unfit(start, count: count) ?? .csvQuotes
    }
    return decodeRecord(start, count: count, line: line, layout)
  }

  /// Checks the bytes as text before anything is read from them.
  private static func unfit(_ start: UnsafePointer<UInt8>, count: Int) -> Rejection? {
    if count > Limits.lineBytes { return .lineTooLong }
    if TextCheck.isPlain(start, count: count) { return nil }
    if !TextCheck.isUTF8(start, count: count) { return .invalidUTF8 }
    return TextCheck.hasNul(start, count: count) ? .nul : nil
  }

  /// Returns the length of a line without the carriage return of its end.
  private static func contentCount(_ start: UnsafePointer<UInt8>, to lineFeed: UnsafePointer<UInt8>) -> Int {
    let count = start.distance(to: lineFeed)
    return count > 0 && start[count - 1] == UInt8(ascii: "\r") ? count - 1 : count
  }

  /// Counts line ends between two positions, including one that the file's end stands for.
  private static func lineCount(_ start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) -> Int {
    var count = 0
    var place = start
    while place < end, let found = memchr(place, 0x0A, place.distance(to: end)) {
      count += 1
      place = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) + 1
    }
    return place < end ? count + 1 : count
  }

  /// Returns whether the line has spaces only; tabs count as cells if they are the delimiter.
  private static func isBlankCSV(_ line: UnsafePointer<UInt8>, count: Int, delimiter: UInt8) -> Bool {
    if delimiter == UInt8(ascii: "\t"), count > 0, memchr(line, 0x09, count) != nil { return false }
    return isBlank(line, count: count)
  }
}

extension LineFields {
  /// Reads a cell as the JSON object of `properties`.
  ///
  /// - Returns: Whether it is one.
  mutating func readPropertiesCell(_ cell: FieldValue) -> Bool {
    let count = Int(cell.count)
    let copy = scratch(count + 1)
    copy.update(from: cell.start, count: count)
    // Replaces line feeds by carriage returns, which are white space too and equally invalid in strings: a line feed
    // must mark the end.
    for offset in 0..<count where copy[offset] == UInt8(ascii: "\n") { copy[offset] = UInt8(ascii: "\r") }
    copy[count] = UInt8(ascii: "\n")
    let start = JSONSyntax.skipSpace(copy)
    guard start.pointee == UInt8(ascii: "{"), let end = readProperties(start + 1),
      JSONSyntax.skipSpace(end) == UnsafePointer(copy) + count
    else { return false }
    for offset in 0..<count where cell.start[offset] == UInt8(ascii: "\n") { copy[offset] = UInt8(ascii: "\n") }
    return true
  }
}
