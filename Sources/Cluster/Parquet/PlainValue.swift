/// Values as Parquet's PLAIN encoding lays them out.
enum PlainValue {
  static func append<Value: FixedWidthInteger>(_ value: Value, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// The integer at a place, where all its bytes must be.
  @inline(__always)
  static func read<Value: FixedWidthInteger & BitwiseCopyable>(
    _: Value.Type, _ bytes: UnsafeRawBufferPointer, at place: Int
  ) -> Value {
    Value(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Value.self))
  }
}
