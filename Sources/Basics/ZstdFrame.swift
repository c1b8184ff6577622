internal import CZstd

/// Compresses and decompresses single zstd frames in memory; one instance reuses its contexts for many frames.
public final class ZstdFrame {
  private let packing = ZSTD_createCCtx()
  private let unpacking = ZSTD_createDCtx()

  /// - Parameters:
  ///   - level: The compression level, 1 (fastest) to 19.
  ///   - hasChecksum: Whether each frame ends with a checksum of its content.
  public init(level: Int32, hasChecksum: Bool = false) {
    ZSTD_CCtx_setParameter(packing, ZSTD_c_compressionLevel, level)
    ZSTD_CCtx_setParameter(packing, ZSTD_c_checksumFlag, hasChecksum ? 1 : 0)
  }

  deinit {
    ZSTD_freeCCtx(packing)
    ZSTD_freeDCtx(unpacking)
  }

  /// Returns the bytes as a frame whose header gives their count.
  public func frame(of bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
    var result = 0
    let frame = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { buffer, count in
      result = ZSTD_compress2(packing, buffer.baseAddress, buffer.count, bytes.baseAddress, bytes.count)
      count = ZSTD_isError(result) == 0 ? result : 0
    }
    guard ZSTD_isError(result) == 0 else { throw Self.fault(result) }
    return frame
  }

  /// Returns the uncompressed size of a frame made by ``frame(of:)``, in bytes.
  public static func byteCount(of frame: UnsafeRawBufferPointer) throws -> Int {
    let count = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
    guard count < UInt64(Int32.max) else { throw ZstdError(problem: "no frame of a known length") }
    return Int(count)
  }

  /// Decompresses a frame into a buffer of exactly ``byteCount(of:)`` bytes.
  public func read(_ frame: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer) throws {
    let count = ZSTD_decompressDCtx(unpacking, bytes.baseAddress, bytes.count, frame.baseAddress, frame.count)
    guard ZSTD_isError(count) == 0 else { throw Self.fault(count) }
    guard count == bytes.count else { throw ZstdError(problem: "a frame ends in the middle") }
  }

  private static func fault(_ code: Int) -> ZstdError { ZstdError(problem: String(cString: ZSTD_getErrorName(code))) }
}

/// The error for a zstd frame that cannot be read or written.
public struct ZstdError: Error, CustomStringConvertible {
  public var problem: String

  public var description: String { "zstd: \(problem)" }
}
