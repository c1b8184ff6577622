/// The start of a file's content, unpacked before the file's turn.
struct UnpackedAhead {
  private let bytes: [UInt8]
  private var next = 0
  private var isWhole = false
  /// The error that ended the unpacking.
  private var failure: FileFailure?

  /// - Parameters:
  ///   - limit: The most bytes to unpack.
  ///   - read: Writes the next bytes and returns their number; 0 only at the end.
  init(atMost limit: Int, _ read: (UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int) {
    var end: Result<Bool, FileFailure> = .success(false)
    bytes = [UInt8](unsafeUninitializedCapacity: limit) { bytes, count in
      do throws(FileFailure) {
        while count < limit {
          let got = try read(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[count...]))
          count += got
          if got == 0 {
            end = .success(true)
            return
          }
        }
      } catch {
        end = .failure(error)
      }
    }
    switch end {
    case .success(let isAtEnd): isWhole = isAtEnd
    case .failure(let error): failure = error
    }
  }

  /// Writes the next bytes and returns their number, 0 only at the end of the content; `nil` if the rest is not
  /// unpacked yet.
  ///
  /// - Throws: The error that ended the unpacking, once the bytes before it are read.
  mutating func read(into room: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int? {
    let count = min(room.count, bytes.count - next)
    if count == 0 {
      if let failure { throw failure }
      return isWhole ? 0 : nil
    }
    bytes.withUnsafeBytes { room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[next..<next + count])) }
    next += count
    return count
  }
}
