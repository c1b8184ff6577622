import CZstd

/// Compresses bytes to one zstd frame.
struct ZstdFrame {
  var level: Int

  /// - Throws: ``SampleError`` with libzstd's message if it fails.
  func compressed(_ bytes: [UInt8]) throws(SampleError) -> [UInt8] {
    var result = 0
    let frame = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { buffer, count in
      result = ZSTD_compress(buffer.baseAddress, buffer.count, bytes, bytes.count, Int32(level))
      count = ZSTD_isError(result) == 0 ? result : 0
    }
    guard ZSTD_isError(result) == 0 else {
      throw SampleError("zstd: \(String(cString: ZSTD_getErrorName(result))); expected room for a frame")
    }
    return frame
  }
}
