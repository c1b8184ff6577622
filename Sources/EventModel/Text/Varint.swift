/// Integers of variable length: seven bits per byte, the lowest first (LEB128).
public enum Varint {
  @inlinable @inline(__always)
  public static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Appends a signed integer, encoded by ``zigzag(_:)``.
  @inlinable @inline(__always)
  public static func append(signed value: Int64, to bytes: inout [UInt8]) { append(zigzag(value), to: &bytes) }

  /// Returns the number with its sign in the lowest bit, so that small negative numbers are short too.
  @inlinable @inline(__always)
  public static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }

  /// Reads the next number; one that the end of the bytes cuts off gets the bits that are there.
  @inlinable @inline(__always)
  public static func next(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) &<< shift
      if byte < 0x80 { break }
      shift += 7
    }
    return value
  }

  /// Reads the next number; `nil` for one that the end of the bytes cuts off, or that has more than 64 bits.
  public static func whole(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 70, by: 7) where offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) &<< UInt64(shift)
      if byte < 0x80 { return value }
    }
    return nil
  }

  /// Reads the next signed number, encoded by ``zigzag(_:)``.
  @inlinable @inline(__always)
  public static func nextSigned(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Int64 {
    signed(next(bytes, &offset))
  }

  /// Returns the number that ``zigzag(_:)`` encoded.
  @inlinable @inline(__always)
  public static func signed(_ coded: UInt64) -> Int64 { Int64(bitPattern: coded >> 1) ^ -Int64(bitPattern: coded & 1) }
}
