internal import CZstd

/// Compresses and decompresses single zstd frames with a context that is reused.
final class ZstdFrame {
  private let packing = ZSTD_createCCtx()
  private let unpacking = ZSTD_createDCtx()
  private let level: Int32

  /// - Parameter level: The compression level, 1 (fast) to 19.
  init(level: Int32) { self.level = level }

  deinit {
    ZSTD_freeCCtx(packing)
    ZSTD_freeDCtx(unpacking)
  }

  /// Returns the bytes as a frame, with their count in its header.
  func frame(of bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
    var result = 0
    let frame = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { buffer, count in
      result = ZSTD_compressCCtx(
        packing, buffer.baseAddress, buffer.count, bytes.baseAddress, bytes.count, level)
      count = ZSTD_isError(result) == 0 ? result : 0
    }
    guard ZSTD_isError(result) == 0 else { throw Self.fault(result) }
    return frame
  }

  /// Returns the uncompressed size of a frame of ``frame(of:)``.
  static func byteCount(of frame: UnsafeRawBufferPointer) throws -> Int {
    let count = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
    guard count < UInt64(Int32.max) else { throw WorkerFault(.data, "a pack has no zstd frame of a known length") }
    return Int(count)
  }

  /// Decompresses a frame into a buffer of exactly ``byteCount(of:)`` bytes.
  func read(_ frame: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer) throws {
    let count = ZSTD_decompressDCtx(unpacking, bytes.baseAddress, bytes.count, frame.baseAddress, frame.count)
    guard ZSTD_isError(count) == 0 else { throw Self.fault(count) }
    guard count == bytes.count else { throw WorkerFault(.data, "a pack ends in the middle") }
  }

  private static func fault(_ code: Int) -> WorkerFault {
    WorkerFault(.data, "zstd: \(String(cString: ZSTD_getErrorName(code)))")
  }
}
