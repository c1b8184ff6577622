internal import EventModel
#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Collects ``EventBatch/text``.
struct TextBuffer: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 1 << 20) {
    self.capacity = capacity
    start = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  }

  deinit { start.deallocate() }

  @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) -> TextSlice {
    let length = bytes.count
    if length == 0 { return .absent }
    if count &+ length > capacity { grow(by: length) }
    memcpy(start + count, bytes.baseAddress!, length)
    let slice = TextSlice(offset: UInt32(truncatingIfNeeded: count), length: UInt32(truncatingIfNeeded: length))
    count &+= length
    return slice
  }

  @inline(__always)
  func equals(_ slice: TextSlice, _ bytes: UnsafeRawBufferPointer) -> Bool {
    Int(slice.length) == bytes.count && memcmp(start + Int(slice.offset), bytes.baseAddress!, bytes.count) == 0
  }

  mutating func shrink(to newCount: Int) { count = newCount }

  /// Hands the bytes over and begins again without any.
  mutating func takeAll() -> [UInt8] {
    defer { count = 0 }
    return Array(UnsafeBufferPointer(start: start, count: count))
  }

  private mutating func grow(by length: Int) {
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: max(capacity * 2, count + length))
    larger.update(from: start, count: count)
    start.deallocate()
    start = larger
    capacity = max(capacity * 2, count + length)
  }
}
