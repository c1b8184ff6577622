#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// An append-only byte buffer without the checks of an array's append. Its owner must deallocate it.
struct ColumnBytes {
  private var start: UnsafeMutableRawPointer?
  private var capacity = 0
  private(set) var count = 0

  func deallocate() { free(start) }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    // The address of an empty buffer may be nil.
    if let source = bytes.baseAddress, bytes.count > 0 { memcpy(start! + count, source, bytes.count) }
    count += bytes.count
  }

  /// Adds an integer, little-endian.
  @inline(__always)
  mutating func append<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
    reserve(MemoryLayout<Value>.size)
    (start! + count).storeBytes(of: value.littleEndian, as: Value.self)
    count += MemoryLayout<Value>.size
  }

  /// Adds a byte `times` times.
  mutating func append(_ byte: UInt8, count times: Int) {
    if times == 0 { return }
    reserve(times)
    memset(start! + count, Int32(byte), times)
    count += times
  }

  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if count + more > capacity { grow(more) }
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more, 1024)
    guard let larger = realloc(start, capacity) else { fatalError("no memory for \(capacity) bytes") }
    start = larger
  }
}
