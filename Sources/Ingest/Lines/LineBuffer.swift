#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Bytes of a file from the begin of the line in hand on.
///
/// Filled at the end, consumed at the front; what is left of the front moves down when there is no room. It holds
/// the longest line allowed and one more chunk, so that memory stays bounded whatever a file expands to.
final class LineBuffer {
  /// Readable bytes behind every line, for words that reach past its end.
  static let padding = 64

  private let base: UnsafeMutablePointer<UInt8>
  private let capacity: Int
  private let chunkByteCount: Int
  /// Offset of the first byte not yet consumed.
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
  /// Whether there is no room until something is consumed.
  var isFull: Bool { count == capacity }

  func removeAll() {
    start = 0
    end = 0
  }

  func consume(upTo place: UnsafePointer<UInt8>) {
    start = UnsafePointer(base).distance(to: place)
  }

  /// Room for the next chunk; moves what is left to the front, which keeps the bytes in use few and in cache.
  func room() -> UnsafeMutableRawBufferPointer {
    if start > 0 {
      base.update(from: base + start, count: count)
      end -= start
      start = 0
    }
    return UnsafeMutableRawBufferPointer(start: base + end, count: min(chunkByteCount, capacity - end))
  }

  /// Takes note of bytes written into ``room()``.
  func didFill(_ count: Int) { end += count }

  /// Puts a line feed behind the last byte, where the decoder's scans stop; it is not part of the content.
  func seal() { base[end] = UInt8(ascii: "\n") }
}
