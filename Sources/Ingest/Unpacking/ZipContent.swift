internal import CZlib

/// The content of a zip archive: its entries in order, with a line feed added after one that does not end in one.
/// Entries that are gzip are unpacked again, as Amplitude's exports require.
///
/// Hidden files, folders and macOS metadata are skipped. The archive is read from front to back, so that it can come
/// from standard input. The checksum of each entry and, at the end, the number of entries must be right.
///
/// Source: PKWARE, "APPNOTE.TXT", version 6.3.
final class ZipContent {
  private struct Entry {
    var isWanted: Bool
    var isDeflated: Bool
    var hasDescriptor: Bool
    var hasLongSizes: Bool
    var checksum: UInt32
    /// Stored bytes; known only if there is no data descriptor.
    var storedCount: UInt64
    var actualChecksum: UInt = 0
    var actualStoredCount: UInt64 = 0
    var isUnpacked = false
    /// `nil` until its first bytes are read.
    var isGzip: Bool?
  }

  private let path: String
  private let nextBlock: () throws(FileFailure) -> UnsafeRawBufferPointer
  private var input: UnsafeRawBufferPointer
  private var entry: Entry?
  private var entryCount = 0
  private var hiddenCount = 0
  /// The number of entries so far whose content is read.
  private(set) var fileCount = 0
  private var isAtEnd = false
  private let inflater: Inflater
  private let gunzip: Inflater
  /// The unpacked bytes of an entry, before gzip is removed.
  private let unpacked = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
  private var pending = UnsafeRawBufferPointer(start: nil, count: 0)
  private var lastByte = UInt8(ascii: "\n")

  /// - Parameters:
  ///   - first: The first block.
  ///   - path: The path in messages.
  ///   - nextBlock: Returns the archive's next bytes; empty only at its end.
  init(
    first: UnsafeRawBufferPointer, path: String, nextBlock: @escaping () throws(FileFailure) -> UnsafeRawBufferPointer
  ) throws(FileFailure) {
    input = first
    self.path = path
    self.nextBlock = nextBlock
    inflater = try Inflater(windowBits: -15)
    gunzip = try Inflater(windowBits: Inflater.gzip)
  }

  deinit { unpacked.deallocate() }

  /// Writes the next bytes of the content and returns their number; 0 only at the end.
  func read(into room: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    while !isAtEnd {
      guard let open = entry else {
        try openNext()
        continue
      }
      if pending.isEmpty, !open.isUnpacked { try unpack() }
      if pending.isEmpty {
        guard entry?.isUnpacked == true else { continue }
        if entry?.isGzip == true, !gunzip.isBetweenMembers {
          // The bytes that did not fit before.
          let count = try gunzip.inflate(&pending, into: room, "gzip")
          guard count > 0 else { throw .truncated }
          lastByte = room[count - 1]
          return count
        }
        entry = nil
        if lastByte != UInt8(ascii: "\n") {
          lastByte = UInt8(ascii: "\n")
          room[0] = lastByte
          return 1
        }
        continue
      }
      guard open.isWanted else {
        pending = UnsafeRawBufferPointer(rebasing: pending[pending.count...])
        continue
      }
      let count = try take(into: room)
      if count > 0 {
        lastByte = room[count - 1]
        return count
      }
    }
    return 0
  }

  private func take(into room: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    if entry?.isGzip == nil {
      entry?.isGzip = pending.starts(with: [0x1F, 0x8B])
      gunzip.reset()
    }
    if entry?.isGzip == true { return try gunzip.inflate(&pending, into: room, "gzip") }
    let count = min(room.count, pending.count)
    room.copyMemory(from: UnsafeRawBufferPointer(rebasing: pending[..<count]))
    pending = UnsafeRawBufferPointer(rebasing: pending[count...])
    return count
  }

  // MARK: Entries

  private func openNext() throws(FileFailure) {
    let signature = try number(4)
    switch signature {
    case 0x0403_4B50: try readHeader()
    // The central directory, or the end of an empty archive.
    case 0x0201_4B50, 0x0605_4B50, 0x0606_4B50, 0x0805_4B50: try readEnd(signature)
    default: throw FileFailure("corrupt zip data: no entry begins where one should")
    }
  }

  private func readHeader() throws(FileFailure) {
    _ = try number(2)
    let flags = try number(2)
    let method = try number(2)
    _ = try number(4)
    let checksum = UInt32(truncatingIfNeeded: try number(4))
    var storedCount = try number(4)
    _ = try number(4)
    let nameCount = Int(try number(2))
    let extraCount = Int(try number(2))
    let name = String(decoding: try bytes(nameCount), as: UTF8.self)
    let extra = try bytes(extraCount)
    if name == "[Content_Types].xml" || name.hasPrefix("xl/") { throw BinaryFormat.workbook(path) }
    if flags & 1 != 0 { throw FileFailure("\(name) in it is encrypted: unpack it first") }
    guard method == 0 || method == 8 else {
      throw FileFailure("\(name) in it is compressed with method \(method), which is not supported: unpack it first")
    }
    var place = 0
    var hasLongSizes = false
    while place + 4 <= extra.count {
      let (id, count) = (Self.number(extra, place, 2), Int(Self.number(extra, place + 2, 2)))
      if id == 1 {
        hasLongSizes = true
        if storedCount == 0xFFFF_FFFF, count >= 16, place + 20 <= extra.count {
          storedCount = Self.number(extra, place + 12, 8)
        }
      }
      place += 4 + count
    }
    let hasDescriptor = flags & 8 != 0
    if method == 0, hasDescriptor { throw FileFailure("\(name) in it has no size: unpack it first") }
    // `./x` is what some programs call `x`, and `.\x` some on Windows.
    let parts = name.split { $0 == "/" || $0 == "\\" }.filter { $0 != "." && $0 != ".." }
    let isHidden = parts.contains { $0.hasPrefix(".") || $0 == "__MACOSX" }
    let isFolder = name.hasSuffix("/")
    entryCount += 1
    if !isFolder { if isHidden { hiddenCount += 1 } else { fileCount += 1 } }
    entry = Entry(
      isWanted: !isHidden && !isFolder, isDeflated: method == 8, hasDescriptor: hasDescriptor,
      hasLongSizes: hasLongSizes, checksum: checksum, storedCount: storedCount)
    entry?.actualChecksum = crc32(0, nil, 0)
    inflater.reset()
  }

  /// Fills ``pending`` with bytes of the entry, or ends it.
  private func unpack() throws(FileFailure) {
    guard var open = entry else { return }
    var count = 0
    if open.isDeflated {
      if input.isEmpty { try refill() }
      let before = input.count
      count = try inflater.inflate(&input, into: unpacked, "zip")
      open.actualStoredCount += UInt64(before - input.count)
      open.isUnpacked = inflater.isBetweenMembers
    } else if open.actualStoredCount < open.storedCount {
      if input.isEmpty { try refill() }
      // A hostile size may exceed any `Int`.
      count = Int(min(UInt64(min(unpacked.count, input.count)), open.storedCount - open.actualStoredCount))
      unpacked.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
      input = UnsafeRawBufferPointer(rebasing: input[count...])
      open.actualStoredCount += UInt64(count)
      open.isUnpacked = open.actualStoredCount == open.storedCount
    } else {
      open.isUnpacked = true
    }
    pending = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(unpacked)[..<count])
    open.actualChecksum = crc32(
      open.actualChecksum, pending.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(count))
    if open.isUnpacked { try close(&open) }
    entry = open
  }

  private func close(_ open: inout Entry) throws(FileFailure) {
    if open.hasDescriptor {
      var checksum = try number(4)
      if checksum == 0x0807_4B50 { checksum = try number(4) }
      open.checksum = UInt32(truncatingIfNeeded: checksum)
      open.storedCount = try number(open.hasLongSizes ? 8 : 4)
      _ = try number(open.hasLongSizes ? 8 : 4)
    }
    guard UInt32(truncatingIfNeeded: open.actualChecksum) == open.checksum,
      open.actualStoredCount == open.storedCount
    else { throw FileFailure("corrupt zip data: an entry's checksum or size is wrong") }
  }

  /// Reads to the end of the archive, which must give the number of entries that were read.
  private func readEnd(_ signature: UInt64) throws(FileFailure) {
    var tail = (0..<4).map { UInt8(truncatingIfNeeded: signature >> ($0 * 8)) }
    while true {
      tail += input
      input = UnsafeRawBufferPointer(rebasing: input[input.count...])
      if tail.count > 1 << 18 { tail.removeFirst(tail.count - 1 << 17) }
      let block = try nextBlock()
      if block.isEmpty { break }
      input = block
    }
    isAtEnd = true
    // A comment of at most 65,535 bytes may follow.
    var place = tail.count - 22
    while place >= max(0, tail.count - 22 - 0xFFFF) {
      if Self.number(tail, place, 4) == 0x0605_4B50,
        place + 22 + Int(Self.number(tail, place + 20, 2)) == tail.count
      {
        let count = Int(Self.number(tail, place + 10, 2))
        if count == 0xFFFF || count == entryCount {
          if fileCount > 0 || hiddenCount == 0 { return }
          throw FileFailure("has only hidden files, which are not read: rename the ones to read")
        }
        throw FileFailure("corrupt zip data: it lists \(count) entries, but has \(entryCount)")
      }
      place -= 1
    }
    throw .truncated
  }

  // MARK: Bytes

  private func refill() throws(FileFailure) {
    input = try nextBlock()
    if input.isEmpty { throw .truncated }
  }

  private func bytes(_ count: Int) throws(FileFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      if input.isEmpty { try refill() }
      let part = min(count - bytes.count, input.count)
      bytes += input[..<part]
      input = UnsafeRawBufferPointer(rebasing: input[part...])
    }
    return bytes
  }

  private func number(_ count: Int) throws(FileFailure) -> UInt64 { Self.number(try bytes(count), 0, count) }

  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt64 {
    bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
