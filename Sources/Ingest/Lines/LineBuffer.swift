internal import Foundation

/// The bytes of a file from the start of the current line on.
///
/// Bytes are added at the end and consumed from the front; the rest moves to the front when there is no room. The
/// buffer holds the longest allowed line and one more chunk, so that memory is bounded however far a file expands.
final class LineBuffer {
  /// Readable bytes after every line, for words that reach past its end.
  static let padding = 64

  private let base: UnsafeMutablePointer<UInt8>
  private let capacity: Int
  private let chunkByteCount: Int
  /// Offset of the first unconsumed byte.
  private(set) var start = 0
  private(set) var end = 0

  /// - Parameter chunkByteCount: The most bytes to add at once.
  init(chunkByteCount: Int) {
    self.chunkByteCount = chunkByteCount
    capacity = Limits.lineBytes + 2 + chunkByteCount
    base = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + Self.padding)
    memset(base, 0, capacity + Self.padding)
  }

  deinit { base.deallocate() }

  var first: UnsafeMutablePointer<UInt8> { base + start }
  var last: UnsafeMutablePointer<UInt8> { base + end }
  var count: Int { end - start }
  /// Whether there is no room until bytes are consumed.
  var isFull: Bool { count == capacity }

  func removeAll() {
    start = 0
    end = 0
  }

  func consume(upTo place: UnsafePointer<UInt8>) {
    start = UnsafePointer(base).distance(to: place)
  }

  /// Returns room for the next chunk; moves the remaining bytes to the front, which keeps the memory in use small and
  /// cached.
  func room() -> UnsafeMutableRawBufferPointer {
    if start > 0 {
      base.update(from: base + start, count: count)
      end -= start
      start = 0
    }
    return UnsafeMutableRawBufferPointer(start: base + end, count: min(chunkByteCount, capacity - end))
  }

  /// Records that `count` bytes were written into ``room()``.
  func didFill(_ count: Int) { end += count }

  /// Puts a line feed after the last byte, which stops the decoder's scans; it is not part of the content.
  func seal() { base[end] = UInt8(ascii: "\n") }
}
