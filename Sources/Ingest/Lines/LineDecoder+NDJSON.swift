internal import Foundation

extension LineDecoder {
  /// Decodes the complete lines of the buffer.
  ///
  /// - Parameter isLast: Whether no more bytes follow, so that the last line needs no line feed.
  mutating func decodeLines(
    of buffer: LineBuffer, isLast: Bool, progress: inout LineProgress, limits: BatchLimits
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
      guard let lineFeed = Self.lineFeed(from: start, to: end, isLast: isLast) else {
        // Allows one more byte, which might be the carriage return of the line end.
        if !progress.skipsToLineEnd && start.distance(to: end) > Limits.lineBytes + 1 {
          progress.number += 1
          progress.count += 1
          progress.skipsToLineEnd = true
          progress.reject(.lineTooLong, start, count: start.distance(to: end), line: progress.number)
        }
        if progress.skipsToLineEnd { start = end }
        return .needsBytes
      }
      let line = start
      start = min(lineFeed + 1, end)
      if progress.skipsToLineEnd {
        progress.skipsToLineEnd = false
        continue
      }
      progress.number &+= 1
      var count = line.distance(to: lineFeed)
      if count > 0 && line[count &- 1] == UInt8(ascii: "\r") { count &-= 1 }
      if Self.isBlank(line, count: count) { continue }
      progress.count &+= 1
      let rejection =
        count > Limits.lineBytes ? .lineTooLong : decodeJSON(line, count: count, line: progress.number)
      if let rejection { progress.reject(rejection, line, count: count, line: progress.number) }
    }
    return .needsBytes
  }

  /// Returns the next line feed; at the end of all bytes, the one that seals them.
  @inline(__always)
  static func lineFeed(
    from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>, isLast: Bool
  ) -> UnsafePointer<UInt8>? {
    if let found = memchr(start, 0x0A, start.distance(to: end)) {
      return UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
    }
    return isLast ? end : nil
  }

  @inline(__always)
  static func isBlank(_ line: UnsafePointer<UInt8>, count: Int) -> Bool {
    if count > 0 && line[0] > 0x20 { return false }
    for offset in 0..<count where line[offset] != 0x20 && line[offset] != 0x09 && line[offset] != 0x0D { return false }
    return true
  }
}
