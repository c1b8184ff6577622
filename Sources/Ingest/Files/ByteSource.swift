internal import Crypto
internal import EventModel
internal import Foundation

/// The stored bytes of one input, block by block, and their SHA-256.
///
/// A regular file is hashed before it is decoded, so that a known file is never decoded. The second reading comes from
/// the page cache and has a cheap checksum, which detects changes in between. Other inputs can be read only once and
/// are hashed while decoding.
final class ByteSource {
  let input: InputFile
  let isRegular: Bool
  /// The number of bytes returned so far.
  private(set) var byteCount: Int64 = 0

  /// The size of the whole input; known only at its end if it was not hashed ahead.
  var storedByteCount: Int64 { expected?.byteCount ?? byteCount }

  private let descriptor: Int32
  private let ownsDescriptor: Bool
  private let block: UnsafeMutableRawBufferPointer
  private var hasher = SHA256()
  /// Checksums of the first reading and of the current one; both use equal block bounds.
  private var expected: (checksum: UInt64, byteCount: Int64)?
  private var checksum: UInt64 = 0
  /// The file's state when it was opened, if it is read at any place rather than in blocks.
  private var opened: FileState?

  /// - Parameter blockByteCount: At least 16; only the last block is shorter.
  init(_ input: InputFile, blockByteCount: Int) throws(FileFailure) {
    precondition(blockByteCount >= 16, "the first block must hold what tells the compression")
    self.input = input
    if let copy = input.copy {
      guard lseek(copy, 0, SEEK_SET) == 0 else { throw .system("cannot be read again") }
      (descriptor, ownsDescriptor, isRegular) = (copy, false, false)
    } else if input.isStandardInput {
      (descriptor, ownsDescriptor, isRegular) = (0, false, false)
    } else {
      let opened = (input.pathBytes + [0]).withUnsafeBytes {
        open($0.baseAddress!.assumingMemoryBound(to: CChar.self), O_RDONLY | O_CLOEXEC)
      }
      guard opened >= 0 else { throw .system("cannot be opened", at: input) }
      var status = stat()
      guard fstat(opened, &status) == 0 else {
        let failure = FileFailure.system("its type cannot be read")
        close(opened)
        throw failure
      }
      (descriptor, ownsDescriptor, isRegular) = (opened, true, status.st_mode & S_IFMT == S_IFREG)
    }
    block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockByteCount, alignment: 64)
  }

  deinit {
    if ownsDescriptor { close(descriptor) }
    block.deallocate()
  }

  /// Reads a regular file once to hash it and returns to its start.
  func digestAhead() throws(FileFailure) -> [UInt8] {
    var checksum: UInt64 = 0
    var byteCount: Int64 = 0
    var hasher = SHA256()
    var isParquet = false
    while case let bytes = try fill(), !bytes.isEmpty {
      if byteCount == 0 { isParquet = ParquetContent.isParquet(bytes) }
      hasher.update(bufferPointer: bytes)
      checksum = ByteHash.hash(bytes, seed: checksum)
      byteCount += Int64(bytes.count)
    }
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw .system("cannot be read again") }
    expected = (checksum, byteCount)
    let digest = Array(hasher.finalize())
    return isParquet ? HiveFolders.digest(digest, of: input) : digest
  }

  /// Returns the next bytes, valid until the next call; empty at the end.
  func nextBlock() throws(FileFailure) -> UnsafeRawBufferPointer {
    let bytes = try fill()
    byteCount += Int64(bytes.count)
    if expected == nil {
      hasher.update(bufferPointer: bytes)
    } else if !bytes.isEmpty {
      checksum = ByteHash.hash(bytes, seed: checksum)
    }
    return bytes
  }

  /// Returns the digest of an input that was not hashed ahead; call it at the end.
  func digestBehind() -> [UInt8] { Array(hasher.finalize()) }

  /// Throws if a file that was hashed ahead has changed; call it at the end.
  func checkUnchanged() throws(FileFailure) {
    if let opened {
      if try opened != FileState(descriptor) { throw FileFailure("changed while it was read") }
      return
    }
    guard let expected else { return }
    if expected != (checksum, byteCount) { throw FileFailure("it changed while it was read; ingest it again") }
  }

  /// Returns the descriptor of a regular file that is read at any place from now on; the caller reports what it reads
  /// by ``didRead(_:)``.
  func takeDescriptor() throws(FileFailure) -> Int32 {
    opened = try FileState(descriptor)
    return descriptor
  }

  /// Counts bytes that were read at any place, of which there may be more than the file has.
  func didRead(_ count: Int) { byteCount = min(byteCount + Int64(count), storedByteCount) }

  /// Fills the block as far as the input goes.
  private func fill() throws(FileFailure) -> UnsafeRawBufferPointer {
    var count = 0
    while count < block.count {
      let got = read(descriptor, block.baseAddress! + count, block.count - count)
      if got == 0 { break }
      if got < 0 {
        if errno == EINTR { continue }
        throw .system("cannot be read")
      }
      count += got
    }
    return UnsafeRawBufferPointer(rebasing: block[..<count])
  }
}

/// The properties of a file that differ once it has changed.
private struct FileState: Equatable {
  private var byteCount: Int64
  private var seconds: [Int]

  init(_ descriptor: Int32) throws(FileFailure) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system("cannot be examined") }
    byteCount = Int64(status.st_size)
    #if canImport(Glibc)
      let times = [status.st_mtim, status.st_ctim]
    #else
      let times = [status.st_mtimespec, status.st_ctimespec]
    #endif
    seconds = times.flatMap { [Int($0.tv_sec), Int($0.tv_nsec)] }
  }
}
