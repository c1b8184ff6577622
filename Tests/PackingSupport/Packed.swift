internal import CZlib
internal import CZstd

/// One zstd frame, by libzstd.
public func zstdFrame(_ bytes: [UInt8], level: Int32 = 3) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { output, count in
    count = ZSTD_compress(output.baseAddress, output.count, bytes, bytes.count, level)
    precondition(ZSTD_isError(count) == 0, "ZSTD_compressBound is a bound")
  }
}

/// One gzip member, by zlib's own writer.
public func gzipMember(_ bytes: [UInt8]) -> [UInt8] {
  // 15 bits of window, and 16 for a gzip header and trailer (zlib.h, deflateInit2).
  deflated(bytes, windowBits: 15 + 16)
}

/// Returns the bytes of a compressed entry in a zip archive: no header, no trailer (zlib.h, deflateInit2).
public func rawDeflate(_ bytes: [UInt8]) -> [UInt8] { deflated(bytes, windowBits: -15) }

private func deflated(_ bytes: [UInt8], windowBits: Int32) -> [UInt8] {
  var input = bytes
  var stream = z_stream()
  guard
    deflateInit2_(
      &stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
      == Z_OK
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
