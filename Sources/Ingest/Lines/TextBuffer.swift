internal import EventModel
internal import Foundation

/// Collects the bytes of ``EventBatch/text``.
struct TextBuffer: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 32 << 10) {
    self.capacity = capacity
    start = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  }

  deinit { start.deallocate() }

  /// - Parameter bytes: Up to seven more bytes after them must be readable.
  @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) -> TextSlice {
    let length = bytes.count
    if length == 0 { return .absent }
    if count &+ length &+ 8 > capacity { grow(by: length) }
    // Copies words: most ids are shorter than a call of `memcpy` is worth.
    let source = bytes.baseAddress!
    let target = UnsafeMutableRawPointer(start + count)
    var offset = 0
    repeat {
      target.storeBytes(
        of: source.loadUnaligned(fromByteOffset: offset, as: UInt64.self), toByteOffset: offset, as: UInt64.self)
      offset &+= 8
    } while offset < length
    let slice = TextSlice(offset: UInt32(truncatingIfNeeded: count), length: UInt32(truncatingIfNeeded: length))
    count &+= length
    return slice
  }

  @inline(__always)
  func equals(_ slice: TextSlice, _ bytes: UnsafeRawBufferPointer) -> Bool {
    Int(slice.length) == bytes.count && memcmp(start + Int(slice.offset), bytes.baseAddress!, bytes.count) == 0
  }

  @inline(__always)
  func firstByte(of slice: TextSlice) -> UInt8 { start[Int(slice.offset)] }

  mutating func shrink(to newCount: Int) { count = newCount }

  /// Moves the bytes into `bytes`, reusing its memory, and starts empty.
  mutating func takeAll(into bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
    count = 0
  }

  private mutating func grow(by length: Int) {
    let newCapacity = max(capacity * 2, count + length + 8)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: newCapacity)
    larger.update(from: start, count: count)
    start.deallocate()
    start = larger
    capacity = newCapacity
  }
}
