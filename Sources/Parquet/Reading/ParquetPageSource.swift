internal import CZlib
internal import CZstd

/// Reads and decompresses the pages of all columns of a file.
final class ParquetPageSource {
  /// Parquet's `CompressionCodec`.
  enum Codec: Int {
    case none, snappy, gzip, lzo, brotli, lz4, zstd, lz4Raw

    /// The most bytes that one compressed byte can become, by the formats.
    fileprivate var ratio: Int {
      switch self {
      case .none: 1
      case .snappy: 64
      case .gzip: 1_032
      case .lz4, .lz4Raw: 255
      case .zstd: 1 << 17
      case .lzo, .brotli: 0
      }
    }
  }

  /// Readable bytes behind a page, for words that reach past its end.
  static let padding = 16

  private static let headBytes = 512
  private static let longestHead = 16 << 20

  private let input: ParquetInput
  /// The offset at which pages end.
  private let end: Int
  private let memoryBytes: Int
  private var heldBytes = 0
  private var head = ColumnBytes()
  private var packed = ColumnBytes()
  private let zstd = ZSTD_createDCtx()

  init(_ input: ParquetInput, end: Int, memoryBytes: Int) {
    self.input = input
    self.end = end
    self.memoryBytes = memoryBytes
    ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, 27)
  }

  deinit {
    head.deallocate()
    packed.deallocate()
    ZSTD_freeDCtx(zstd)
  }

  /// Counts memory that a column takes, or gives back.
  ///
  /// - Throws: ``ParquetFailure`` if all columns take more than they may.
  func hold(_ more: Int) throws(ParquetFailure) {
    heldBytes += more
    if heldBytes > memoryBytes { throw tooLarge }
  }

  private var tooLarge: ParquetFailure {
    let unit = memoryBytes >= 1 << 30 ? (30, "GiB") : (20, "MiB")
    return ParquetFailure(
      "its pages need more than \(memoryBytes >> unit.0) \(unit.1) of memory at one time; write it again with smaller ones: "
        + ParquetFailure.rewriting)
  }

  /// Returns the codec of a column's pages.
  static func codec(_ number: Int) throws(ParquetFailure) -> Codec {
    guard let codec = Codec(rawValue: number) else { throw .unread("it has codec \(number)") }
    switch codec {
    case .lzo: throw .unread("it is compressed by LZO")
    case .brotli: throw .unread("it is compressed by BROTLI")
    default: return codec
    }
  }

  /// Reads the head of the page at an offset and moves behind it.
  func header(at place: inout Int) throws(ParquetFailure) -> PageHeader {
    var count = Self.headBytes
    guard place >= 4, place < end else { throw .damaged("pages are missing") }
    while true {
      let there = min(count, end - place)
      head.removeAll()
      try input.fill(UnsafeMutableRawBufferPointer(start: head.room(there), count: there), at: place)
      head.didWrite(there)
      if let (header, byteCount) = try PageHeader.read(head.bytes) {
        place += byteCount
        guard header.plainBytes >= 0, header.packedBytes >= 0, header.packedBytes <= end - place else {
          throw .damaged("a page is longer than the file")
        }
        return header
      }
      guard there == count, count < Self.longestHead else { throw .damaged("the head of a page ends too early") }
      count *= 8
    }
  }

  /// Reads a page into a buffer, with ``padding`` bytes behind it; levels of version 2 stand before it as they are.
  ///
  /// - Returns: The bytes of levels before the values.
  func read(
    _ header: PageHeader, _ codec: Codec, at place: Int, into page: inout ColumnBytes
  ) throws(ParquetFailure) -> Int {
    var levels = 0
    if header.kind == .dataV2 {
      levels = header.definitionBytes + header.repetitionBytes
      guard header.definitionBytes >= 0, header.repetitionBytes >= 0, levels <= header.packedBytes,
        levels <= header.plainBytes
      else { throw .damaged("the levels of a page are longer than it") }
    }
    let packedCount = header.packedBytes - levels
    let plainCount = header.plainBytes - levels
    let isPlain = codec == .none || !header.isCompressed && header.kind == .dataV2 || plainCount == 0
    guard isPlain ? plainCount == packedCount || plainCount == 0 : plainCount / codec.ratio <= packedCount else {
      throw .damaged("a page of \(header.packedBytes) bytes claims to have \(header.plainBytes)")
    }
    guard header.plainBytes < memoryBytes else { throw tooLarge }
    page.removeAll()
    let held = page.heldBytes
    try hold(max(0, header.plainBytes + Self.padding - held))
    let start = page.room(header.plainBytes + Self.padding)
    try hold(page.heldBytes - held - max(0, header.plainBytes + Self.padding - held))
    let room = UnsafeMutableRawBufferPointer(start: start, count: header.plainBytes)
    (start + header.plainBytes).initializeMemory(as: UInt8.self, repeating: 0, count: Self.padding)
    page.didWrite(header.plainBytes)
    var checksum = crc32(0, nil, 0)
    if isPlain {
      try input.fill(room, at: place)
      checksum = Self.checksum(UnsafeRawBufferPointer(room), checksum)
    } else {
      packed.removeAll()
      try hold(max(0, header.packedBytes - packed.heldBytes))
      let before = packed.heldBytes
      let bytes = UnsafeMutableRawBufferPointer(start: packed.room(header.packedBytes), count: header.packedBytes)
      try hold(packed.heldBytes - before - max(0, header.packedBytes - before))
      try input.fill(bytes, at: place)
      checksum = Self.checksum(UnsafeRawBufferPointer(bytes), checksum)
      room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<levels]))
      try unpack(
        UnsafeRawBufferPointer(rebasing: bytes[levels...]), codec,
        into: UnsafeMutableRawBufferPointer(rebasing: room[levels...]))
    }
    // A page without values may have bytes that are not read.
    if let expected = header.checksum, !isPlain || plainCount == packedCount,
      UInt32(truncatingIfNeeded: checksum) != UInt32(truncatingIfNeeded: expected)
    {
      throw .damaged("the checksum of a page is wrong")
    }
    return levels
  }

  private static func checksum(_ bytes: UnsafeRawBufferPointer, _ start: UInt) -> UInt {
    var checksum = start
    var place = 0
    while place < bytes.count {
      let count = min(bytes.count - place, 1 << 30)
      checksum = crc32(
        checksum, (bytes.baseAddress! + place).assumingMemoryBound(to: UInt8.self), UInt32(count))
      place += count
    }
    return checksum
  }

  private func unpack(
    _ bytes: UnsafeRawBufferPointer, _ codec: Codec, into room: UnsafeMutableRawBufferPointer
  ) throws(ParquetFailure) {
    switch codec {
    case .none, .lzo, .brotli: break
    case .snappy: try Snappy.read(bytes, into: room)
    case .lz4Raw: try LZ4.read(bytes, into: room)
    case .lz4:
      // Hadoop's frames, or a block alone as early versions of Arrow wrote.
      do {
        try LZ4.read(framed: bytes, into: room)
      } catch {
        try LZ4.read(bytes, into: room)
      }
    case .zstd:
      let content = ZSTD_getFrameContentSize(bytes.baseAddress, bytes.count)
      guard content >= UInt64.max - 1 || content <= UInt64(room.count) else {
        throw .damaged("a page of zstd is longer than it claims")
      }
      let count = ZSTD_decompressDCtx(zstd, room.baseAddress, room.count, bytes.baseAddress, bytes.count)
      guard ZSTD_isError(count) == 0, count == room.count else { throw .damaged("a page of zstd is broken") }
    case .gzip: try unpackGzip(bytes, into: room)
    }
  }

  private func unpackGzip(
    _ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
  ) throws(ParquetFailure) {
    var stream = z_stream()
    // 15 is zlib's largest window; 32 selects gzip or zlib.
    guard inflateInit2_(&stream, 15 + 32, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw ParquetFailure("no memory to decompress it")
    }
    defer { inflateEnd(&stream) }
    stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.avail_in = UInt32(truncatingIfNeeded: bytes.count)
    stream.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.avail_out = UInt32(truncatingIfNeeded: room.count)
    while true {
      let result = inflate(&stream, Z_NO_FLUSH)
      if result == Z_STREAM_END {
        if stream.avail_out == 0 || stream.avail_in == 0 { break }
        // Another member.
        inflateReset(&stream)
      } else if result != Z_OK {
        break
      }
    }
    guard stream.avail_out == 0 else { throw .damaged("a page of gzip is broken") }
  }
}
