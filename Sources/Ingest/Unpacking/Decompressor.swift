internal import CZstd
internal import Parquet

/// The content of a file, decompressed while it is read; of Parquet, also in a compressed file, its rows as lines.
///
/// A file may have several zstd frames, gzip members or zip entries. Any other bytes after them are an error, as is an
/// end inside one.
final class Decompressor {
  /// Two to this power is the largest window that a zstd frame may need: 128 MiB, the format's recommended limit and
  /// that of the `zstd` program without `--long=28` or more.
  static let windowLogMax: Int32 = 27

  private let source: ByteSource
  private let compression: Compression
  /// The rest of the source's block.
  private var input = UnsafeRawBufferPointer(start: nil, count: 0)
  private var isSourceAtEnd = false
  /// Whether no frame is open, so that the file may end here.
  private var isBetweenFrames = true
  private var zstd: OpaquePointer?
  /// The first bytes of the open zstd frame, which may state how long its content is; a header has 18 at most.
  private var frameHead: [UInt8] = []
  /// The length of the open frame's content so far.
  private var frameByteCount: UInt64 = 0
  private var gzip: Inflater?
  private var zip: ZipContent?
  private var parquet: ParquetContent?
  /// Whether the content is Parquet; known once something is read.
  var isParquet: Bool { parquet != nil }
  private let copyFolder: String?
  private var isBegun = false

  /// - Parameter copyFolder: The folder for copies of Parquet that cannot be read where it is; `nil` for that of
  ///   temporary files.
  init(_ source: ByteSource, copyFolder: String? = nil) throws(FileFailure) {
    self.source = source
    self.copyFolder = copyFolder
    input = try source.nextBlock()
    isSourceAtEnd = input.isEmpty
    if Compression.isCutShort(input) { throw .truncated }
    compression = Compression(head: input)
    switch compression {
    case .none: break
    case .zstd:
      zstd = ZSTD_createDCtx()
      ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, Self.windowLogMax)
    case .zip:
      zip = try ZipContent(first: input, path: source.input.path) { () throws(FileFailure) in try source.nextBlock() }
    case .gzip:
      gzip = try Inflater(windowBits: Inflater.gzip)
      isBetweenFrames = false
    }
  }

  deinit { ZSTD_freeDCtx(zstd) }

  /// Writes the next bytes of the content and returns their number; 0 only at the end.
  func read(into room: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    if let parquet { return try parquet.read(into: room) }
    if isBegun || room.count < ParquetInput.magic.count { return try readPacked(into: room) }
    isBegun = true
    if compression == .none && source.isRegular && ParquetContent.isParquet(input) {
      parquet = try ParquetContent(source)
      return try read(into: room)
    }
    var count = 0
    while count < ParquetInput.magic.count {
      let more = try readPacked(into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
      if more == 0 { return count }
      count += more
    }
    let head = UnsafeRawBufferPointer(rebasing: room[..<count])
    guard ParquetContent.isParquet(head) else { return count }
    parquet = try ParquetContent(head: head, folder: copyFolder) { room throws(FileFailure) in
      try readPacked(into: room)
    }
    if let zip, zip.fileCount > 1 {
      throw FileFailure("has \(zip.fileCount) files, the first of them Parquet: unpack it first")
    }
    return try read(into: room)
  }

  private func readPacked(into room: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    if let zip { return try zip.read(into: room) }
    while true {
      if input.isEmpty && !isSourceAtEnd {
        input = try source.nextBlock()
        isSourceAtEnd = input.isEmpty
      }
      let before = input.count
      let count =
        switch compression {
        case .none, .zip: copy(to: room)
        case .zstd: try decompressZstd(to: room)
        case .gzip: try decompressGzip(to: room)
        }
      if count > 0 { return count }
      if isSourceAtEnd && input.count == before {
        guard isBetweenFrames else { throw .truncated }
        return 0
      }
    }
  }

  private func copy(to room: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(room.count, input.count)
    room.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
    advance(count)
    return count
  }

  private func decompressZstd(to room: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
    var unread = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    let begun = isBetweenFrames ? [] : frameHead
    // libzstd takes frames of its old formats for the end of the input.
    guard begun.count >= 4 || Compression.canBeginZstdFrame(begun + input.prefix(4 - begun.count)) else {
      throw FileFailure("corrupt zstd data: what follows a frame is not a frame")
    }
    let result = ZSTD_decompressStream(zstd, &output, &unread)
    if ZSTD_isError(result) != 0 { throw Self.zstdFailure(result) }
    if isBetweenFrames { (frameHead, frameByteCount) = ([], 0) }
    frameHead += input.prefix(min(unread.pos, 18 - frameHead.count))
    frameByteCount += UInt64(output.pos)
    if unread.pos > 0 || output.pos > 0 { isBetweenFrames = result == 0 }
    if result == 0, !frameHead.isEmpty {
      // libzstd does not compare the two where the last block is empty. Its two largest values say that the frame states
      // no length.
      let stated = ZSTD_getFrameContentSize(frameHead, frameHead.count)
      guard stated == frameByteCount || stated >= .max - 1 else {
        throw FileFailure("corrupt zstd data: \(frameByteCount) bytes of the \(stated) that a frame states")
      }
    }
    advance(unread.pos)
    return output.pos
  }

  private static func zstdFailure(_ result: Int) -> FileFailure {
    let message = String(cString: ZSTD_getErrorName(result))
    if message.contains("too much memory") {
      return FileFailure(
        "needs a zstd window above \(1 << (windowLogMax - 20)) MiB; compress it with --long=\(windowLogMax) or less")
    }
    return FileFailure("corrupt zstd data: \(message)")
  }

  private func decompressGzip(to room: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    guard let gzip else { return 0 }
    if isBetweenFrames, input.isEmpty { return 0 }
    let count = try gzip.inflate(&input, into: room, "gzip")
    isBetweenFrames = gzip.isBetweenMembers
    return count
  }

  private func advance(_ count: Int) {
    input = UnsafeRawBufferPointer(rebasing: input[count...])
  }
}
