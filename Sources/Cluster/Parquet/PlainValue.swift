/// Reads and writes values in Parquet's PLAIN encoding.
enum PlainValue {
  static func append<Value: FixedWidthInteger>(_ value: Value, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Returns the integer at an offset; all its bytes must exist.
  @inline(__always)
  static func read<Value: FixedWidthInteger & BitwiseCopyable>(
    _: Value.Type, _ bytes: UnsafeRawBufferPointer, at place: Int
  ) -> Value {
    Value(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Value.self))
  }
}
