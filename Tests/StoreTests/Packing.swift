import CZlib
import CZstd
import Foundation

/// How the bytes of a file are stored.
enum Packing: CaseIterable {
  case plain
  /// gzip, two members, cut anywhere, even within a line.
  case gzipMembers
  /// zstd, three frames, cut anywhere.
  case zstdFrames

  func pack(_ bytes: [UInt8]) -> Data {
    switch self {
    case .plain: Data(bytes)
    case .gzipMembers: Data(pieces(bytes, 2).flatMap(gzipMember))
    case .zstdFrames: Data(pieces(bytes, 3).flatMap(zstdFrame))
    }
  }

  private func pieces(_ bytes: [UInt8], _ count: Int) -> [[UInt8]] {
    (0..<count).map { piece in
      Array(bytes[bytes.count * piece / count..<bytes.count * (piece + 1) / count])
    }
  }
}

/// One gzip member, by zlib's own writer.
func gzipMember(_ bytes: [UInt8]) -> [UInt8] {
  var input = bytes
  var stream = z_stream()
  // 15 bits of window, and 16 for a gzip header and trailer (zlib.h, deflateInit2).
  guard
    deflateInit2_(
      &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
  else { preconditionFailure("zlib takes its own defaults") }
  defer { deflateEnd(&stream) }
  let capacity = Int(deflateBound(&stream, UInt(bytes.count)))
  return [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
    input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = UInt32(capacity)
      precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END, "deflateBound is a bound")
    }
    count = Int(stream.total_out)
  }
}

/// One zstd frame, by libzstd.
func zstdFrame(_ bytes: [UInt8]) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { output, count in
    count = ZSTD_compress(output.baseAddress, output.count, bytes, bytes.count, 3)
    precondition(ZSTD_isError(count) == 0, "ZSTD_compressBound is a bound")
  }
}
