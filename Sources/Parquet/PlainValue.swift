/// Reads and writes values in Parquet's PLAIN encoding.
public enum PlainValue {
  @inlinable
  public static func append<Value: FixedWidthInteger>(_ value: Value, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Returns the integer at an offset; all its bytes must exist.
  @inlinable @inline(__always)
  public static func read<Value: FixedWidthInteger & BitwiseCopyable>(
    _: Value.Type, _ bytes: UnsafeRawBufferPointer, at place: Int
  ) -> Value {
    Value(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Value.self))
  }
}
