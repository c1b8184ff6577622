internal import Foundation

/// The bytes of a Parquet file, read at any offset.
public struct ParquetInput {
  /// The first and the last four bytes of a file.
  public static let magic = ParquetWriter.magic

  public let byteCount: Int
  private let read: (_ offset: Int, _ room: UnsafeMutableRawBufferPointer) -> Bool

  /// Creates an input of an open file, which must stay open.
  ///
  /// - Parameter didRead: Called with the number of bytes after each reading.
  /// - Throws: ``ParquetFailure`` if the file has no size, as a pipe has none.
  public init(descriptor: Int32, didRead: @escaping (Int) -> Void = { _ in }) throws(ParquetFailure) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw ParquetFailure("cannot be read at any place, as Parquet requires")
    }
    byteCount = Int(status.st_size)
    read = { offset, room in
      var count = 0
      while count < room.count {
        let got = pread(descriptor, room.baseAddress! + count, room.count - count, off_t(offset + count))
        if got < 0 && errno == EINTR { continue }
        if got <= 0 { return false }
        count += got
      }
      didRead(count)
      return true
    }
  }

  public init(_ bytes: [UInt8]) {
    byteCount = bytes.count
    read = { offset, room in
      bytes.withUnsafeBytes {
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + room.count]))
      }
      return true
    }
  }

  /// Fills the room with the bytes from an offset on.
  func fill(_ room: UnsafeMutableRawBufferPointer, at offset: Int) throws(ParquetFailure) {
    guard offset >= 0, room.count <= byteCount - offset else { throw .damaged("it points past the end of the file") }
    if room.isEmpty { return }
    guard read(offset, room) else { throw ParquetFailure("cannot be read, or became shorter while it was read") }
  }

  func bytes(at offset: Int, count: Int) throws(ParquetFailure) -> [UInt8] {
    guard offset >= 0, count >= 0, count <= byteCount - offset else {
      throw .damaged("it points past the end of the file")
    }
    var bytes = [UInt8](repeating: 0, count: count)
    let isRead = bytes.withUnsafeMutableBytes { $0.isEmpty || read(offset, $0) }
    guard isRead else { throw ParquetFailure("cannot be read, or became shorter while it was read") }
    return bytes
  }
}
