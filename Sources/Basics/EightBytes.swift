/// Tests eight bytes at once (H. Warren, Hacker's Delight, 6-1: "Find first 0-byte").
public struct EightBytes {
  @inlinable static var ones: UInt64 { 0x0101_0101_0101_0101 }
  @inlinable static var tops: UInt64 { 0x8080_8080_8080_8080 }
  @inlinable public static var count: Int { 8 }

  @usableFromInline let word: UInt64

  /// - Parameter place: The offset of the first byte; all eight bytes must exist.
  @inlinable @inline(__always)
  public init(_ bytes: UnsafeRawBufferPointer, at place: Int) {
    word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
  }

  /// Returns whether one of the bytes is `byte`.
  @inlinable @inline(__always)
  public func contains(_ byte: UInt8) -> Bool {
    let others = word ^ (UInt64(byte) &* Self.ones)
    return (others &- Self.ones) & ~others & Self.tops != 0
  }

  /// Returns whether one of the bytes is less than `limit`, which is at most 128.
  @inlinable @inline(__always)
  public func containsLess(than limit: UInt8) -> Bool {
    (word &- UInt64(limit) &* Self.ones) & ~word & Self.tops != 0
  }

  /// Returns whether one of the bytes is 128 or more.
  @inlinable public var hasHighBit: Bool { word & Self.tops != 0 }

  /// Appends bytes and escapes those that need it.
  ///
  /// - Parameters:
  ///   - hasSpecial: Returns whether one of eight bytes may need escaping; `isSpecial` is called only if so.
  ///   - escape: Appends the escape sequence of a byte.
  @inlinable @inline(__always)
  public static func append(
    _ bytes: UnsafeRawBufferPointer, to text: inout [UInt8], hasSpecial: (EightBytes) -> Bool,
    isSpecial: (UInt8) -> Bool, escape: (UInt8, inout [UInt8]) -> Void
  ) {
    var start = 0
    var next = 0
    while next < bytes.count {
      if next + count <= bytes.count, !hasSpecial(EightBytes(bytes, at: next)) {
        next += count
        continue
      }
      let place = next
      next += 1
      guard isSpecial(bytes[place]) else { continue }
      text.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<place]))
      start = next
      escape(bytes[place], &text)
    }
    text.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start...]))
  }
}
