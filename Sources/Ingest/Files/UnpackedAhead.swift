/// The begin of a file's content, unpacked before the file has its turn.
struct UnpackedAhead {
  private let bytes: [UInt8]
  private var next = 0
  private var isWhole = false
  /// What ended the unpacking.
  private var failure: FileFailure?

  /// - Parameters:
  ///   - limit: Bytes at most.
  ///   - read: Writes the next bytes and returns their number, 0 at the end only.
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

  /// Writes the next bytes and returns their number, 0 at the content's end only; `nil` where the rest has not been unpacked.
  ///
  /// - Throws: What ended the unpacking, behind the bytes before.
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
