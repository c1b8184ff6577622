internal import CZlib

/// A zlib state at a fixed address, because zlib keeps a pointer to it.
final class Inflater {
  private let stream: UnsafeMutablePointer<z_stream>
  /// 15 is zlib's largest window; 16 selects the gzip format.
  static let gzip: Int32 = 15 + 16

  /// Whether no member is open, so that the data may end here.
  private(set) var isBetweenMembers = false

  init(windowBits: Int32) throws(FileFailure) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw FileFailure("not enough memory to decompress it")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  func reset() {
    inflateReset(stream)
    isBetweenMembers = false
  }

  /// Decompresses input until the room is full or the input is used up.
  func inflate(
    _ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, _ format: String
  ) throws(FileFailure) -> Int {
    if isBetweenMembers { reset() }
    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(input.count)
    stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(room.count)
    let result = CZlib.inflate(stream, Z_NO_FLUSH)
    input = UnsafeRawBufferPointer(rebasing: input[(input.count - Int(stream.pointee.avail_in))...])
    switch result {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isBetweenMembers = true
    default:
      let message = stream.pointee.msg.map { String(cString: $0) } ?? "error \(result)"
      throw FileFailure("corrupt \(format) data: \(message)")
    }
    return room.count - Int(stream.pointee.avail_out)
  }
}
