internal import CZstd
internal import Foundation

/// Completes a journal that a crash left: truncates it after its last whole group and gives it its final name.
///
/// A group that was cut was never acknowledged: the response is sent only when its whole frame is on the disk.
struct JournalRepair: Sendable {
  var name: String
  var keptByteCount: Int
  var cutByteCount: Int

  init(_ name: String, in folder: JournalFolder) throws(JournalFailure) {
    self.name = name
    let path = folder.path(of: folder.partName(of: name))
    guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe) else {
      throw .system(path, "cannot be read")
    }
    keptByteCount = bytes.withUnsafeBytes { Self.wholeFrames($0) }
    cutByteCount = bytes.count - keptByteCount
    if keptByteCount == 0 {
      guard unlink(path) == 0 else { throw .system(path, "cannot be removed") }
      try folder.synchronise()
      return
    }
    if cutByteCount > 0 {
      let descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .system(path, "cannot be opened") }
      defer { close(descriptor) }
      guard ftruncate(descriptor, off_t(keptByteCount)) == 0, fsync(descriptor) == 0 else {
        throw .system(path, "cannot be truncated after its last complete group")
      }
    }
    try folder.publish(name)
  }

  /// Returns the length in bytes of the whole frames at the start, as their checksums show.
  static func wholeFrames(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let context = ZSTD_createDCtx() else { return 0 }
    defer { ZSTD_freeDCtx(context) }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: ZSTD_DStreamOutSize(), alignment: 16)
    defer { room.deallocate() }
    var whole = 0
    while whole < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[whole...])
      let length = ZSTD_findFrameCompressedSize(rest.baseAddress, rest.count)
      if ZSTD_isError(length) != 0 { break }
      var input = ZSTD_inBuffer(src: rest.baseAddress, size: length, pos: 0)
      var result = 1
      while result != 0 {
        var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
        result = ZSTD_decompressStream(context, &output, &input)
        if ZSTD_isError(result) != 0 { return whole }
      }
      whole += length
    }
    return whole
  }
}
