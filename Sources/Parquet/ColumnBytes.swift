internal import Foundation

/// An append-only byte buffer without the checks of an array's append. Its owner must deallocate it.
public struct ColumnBytes {
  @usableFromInline var start: UnsafeMutableRawPointer?
  @usableFromInline var capacity = 0
  @usableFromInline var filled = 0

  @inlinable public init() {}

  public func deallocate() { free(start) }

  @inlinable public var count: Int { filled }
  @inlinable public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: filled) }
  /// The bytes of memory held.
  var heldBytes: Int { capacity }

  @inlinable @inline(__always)
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    // The address of an empty buffer may be nil.
    if let source = bytes.baseAddress, bytes.count > 0 {
      (start! + filled).copyMemory(from: source, byteCount: bytes.count)
    }
    filled += bytes.count
  }

  /// Adds an integer, little-endian.
  @inlinable @inline(__always)
  public mutating func append<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
    reserve(MemoryLayout<Value>.size)
    (start! + filled).storeBytes(of: value.littleEndian, as: Value.self)
    filled += MemoryLayout<Value>.size
  }

  /// Adds a byte `times` times.
  public mutating func append(_ byte: UInt8, count times: Int) {
    if times == 0 { return }
    reserve(times)
    memset(start! + filled, Int32(byte), times)
    filled += times
  }

  /// Drops all bytes from the offset on.
  mutating func removeAll(from offset: Int = 0) { filled = min(filled, offset) }

  /// Makes room for `more` bytes and returns it; ``didWrite(_:)`` adds what was written there.
  @inline(__always)
  mutating func room(_ more: Int) -> UnsafeMutableRawPointer {
    reserve(max(more, 1))
    return start! + filled
  }

  @inline(__always)
  mutating func didWrite(_ more: Int) { filled += more }

  @inlinable @inline(__always)
  mutating func reserve(_ more: Int) {
    if filled + more > capacity { grow(more) }
  }

  @usableFromInline @inline(never)
  mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, filled + more, 1024)
    guard let larger = realloc(start, capacity) else { fatalError("no memory for \(capacity) bytes") }
    start = larger
  }
}
