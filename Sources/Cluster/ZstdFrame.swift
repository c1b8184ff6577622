internal import CZstd

/// One frame of zstd for bytes at hand; a context is made once for many frames.
final class ZstdFrame {
  private let packing = ZSTD_createCCtx()
  private let unpacking = ZSTD_createDCtx()
  private let level: Int32

  /// - Parameter level: Of compression, 1 (fast) to 19.
  init(level: Int32) { self.level = level }

  deinit {
    ZSTD_freeCCtx(packing)
    ZSTD_freeDCtx(unpacking)
  }

  /// Appends the frame of the bytes, with their count in its header.
  func append(_ bytes: UnsafeRawBufferPointer, to target: inout [UInt8]) throws {
    let start = target.count
    let bound = ZSTD_compressBound(bytes.count)
    target.append(contentsOf: repeatElement(0, count: bound))
    let count = target.withUnsafeMutableBytes {
      ZSTD_compressCCtx(packing, $0.baseAddress! + start, bound, bytes.baseAddress, bytes.count, level)
    }
    guard ZSTD_isError(count) == 0 else { throw Self.fault(count) }
    target.removeLast(bound - count)
  }

  /// The bytes of a frame that ``append(_:to:)`` has made.
  func bytes(of frame: UnsafeRawBufferPointer) throws -> [UInt8] {
    let count = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
    guard count < UInt64(Int32.max) else { throw WorkerFault(.data, "a pack is no zstd frame of a known length") }
    var result = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
      result = ZSTD_decompressDCtx(unpacking, buffer.baseAddress, buffer.count, frame.baseAddress, frame.count)
      initialized = ZSTD_isError(result) == 0 ? result : 0
    }
    guard ZSTD_isError(result) == 0 else { throw Self.fault(result) }
    guard bytes.count == Int(count) else { throw WorkerFault(.data, "a pack ends in the middle") }
    return bytes
  }

  private static func fault(_ code: Int) -> WorkerFault {
    WorkerFault(.data, "zstd: \(String(cString: ZSTD_getErrorName(code)))")
  }
}
