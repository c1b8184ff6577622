internal import Foundation
internal import GRDB

/// The sorted runs of the open commit: in memory up to a limit, then in an unlinked file next to the store. They
/// are read once, to be merged into one run of the store, so neither the store nor its log has to hold them.
final class SpillFile {
  struct Entry {
    var lastUser: Int32
    var offset: Int64
    var length: Int
  }

  fileprivate let directory: String
  fileprivate var descriptor: Int32 = -1
  @exclusivity(unchecked) private var end: Int64 = 0
  /// The blocks of each run, in order.
  @exclusivity(unchecked) private(set) var runs: [[Entry]] = []
  /// The bytes that are not in the file, and where they would start in it.
  @exclusivity(unchecked) private var buffer: [UInt8] = []
  @exclusivity(unchecked) private var bufferOffset: Int64 = 0

  private let memoryBytes: Int
  private let writtenBytes: Int

  /// - Parameters:
  ///   - storePath: The path of the store; the file is created in its folder.
  ///   - memoryBytes: The bytes of a commit that stay in memory: by default those of about 400,000 events.
  ///   - writtenBytes: The bytes that are written to the file at once.
  init(storePath: String, memoryBytes: Int = 16 << 20, writtenBytes: Int = 1 << 20) {
    directory = URL(fileURLWithPath: storePath).deletingLastPathComponent().path
    (self.memoryBytes, self.writtenBytes) = (memoryBytes, writtenBytes)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Starts a run, to which further blocks are added.
  func beginRun() { runs.append([]) }

  func add(_ block: EventBlock) throws {
    let (offset, length) = try write(block)
    runs[runs.count - 1].append(Entry(lastUser: block.lastUser, offset: offset, length: length))
  }

  /// Changes the events of a block; one without events stays in its run and is skipped.
  ///
  /// - Parameter key: The block's ``key(run:block:)``.
  func change(key: Int64, _ body: (inout EventRows) -> Void) throws {
    let (run, place) = (Int(key >> 32), Int(key & 0xFFFF_FFFF))
    let cursor = Cursor(self, run: run)
    try cursor.show(block: place)
    var rows = EventRows()
    try cursor.view.decode(0..<cursor.view.eventCount, into: &rows)
    body(&rows)
    var entry = Entry(lastUser: runs[run][place].lastUser, offset: 0, length: 0)
    if !rows.rows.isEmpty { (entry.offset, entry.length) = try write(EventBlock(rows)) }
    runs[run][place] = entry
  }

  static func key(run: Int, block: Int) -> Int64 { Int64(run) << 32 | Int64(block) }

  /// Removes all runs.
  func removeAll() throws {
    runs.removeAll()
    buffer = []
    end = 0
    bufferOffset = 0
    if descriptor >= 0, ftruncate(descriptor, 0) != 0 { throw Self.failure(directory) }
  }

  private func write(_ block: EventBlock) throws -> (offset: Int64, length: Int) {
    let limit = descriptor < 0 ? memoryBytes : writtenBytes
    // The system gives the memory as it is filled; the last block goes beyond the limit.
    if buffer.capacity == 0 {
      buffer.reserveCapacity(limit + writtenBytes)
    }
    let start = buffer.count
    for value in block.header.values { withUnsafeBytes(of: value) { buffer.append(contentsOf: $0) } }
    withUnsafeBytes(of: Int64(block.textColumns)) { buffer.append(contentsOf: $0) }
    for column in block.columns { withUnsafeBytes(of: UInt32(column.count)) { buffer.append(contentsOf: $0) } }
    for column in block.columns { buffer.append(contentsOf: column) }
    let written = (offset: end, length: buffer.count - start)
    end += Int64(written.length)
    if buffer.count >= limit { try flush() }
    return written
  }

  /// Writes the bytes in memory to the file.
  private func flush() throws {
    if descriptor < 0 { try create() }
    try buffer.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = pwrite(
          descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(bufferOffset) + off_t(done))
        guard count > 0 else { throw Self.failure(directory) }
        done += count
      }
    }
    bufferOffset += Int64(buffer.count)
    buffer.removeAll(keepingCapacity: buffer.count < memoryBytes)
  }

  private func create() throws {
    var template = Array("\(directory)/.tollgate-spool-XXXXXX".utf8CString)
    try template.withUnsafeMutableBufferPointer { name in
      guard let name = name.baseAddress else { return }
      descriptor = mkstemp(name)
      guard descriptor >= 0 else { throw Self.failure(directory) }
      // Without a name, the file's space is freed when the process ends, however it ends.
      _ = unlink(name)
    }
  }

  fileprivate static func failure(_ directory: String) -> DatabaseError {
    let code: ResultCode = errno == ENOSPC || errno == EDQUOT ? .SQLITE_FULL : .SQLITE_IOERR
    return DatabaseError(resultCode: code, message: "the spool in \(directory): \(String(cString: strerror(errno)))")
  }
}

extension SpillFile {
  /// A cursor over the blocks of each run.
  var cursors: [Cursor] { runs.indices.map { Cursor(self, run: $0) } }

  /// The blocks of a run in the spill file.
  final class Cursor: BlockCursor {
    private let spillFile: SpillFile
    private let run: Int
    private var index = -1
    /// The bytes of the current block.
    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
    private(set) var view = BlockView()
    var key: Int64 { SpillFile.key(run: run, block: index) }

    init(_ spillFile: SpillFile, run: Int) {
      self.spillFile = spillFile
      self.run = run
    }

    deinit { buffer.deallocate() }

    func rewind() { index = -1 }

    func next(from user: Int32) throws -> Bool {
      let entries = spillFile.runs[run]
      var low = index + 1
      var high = entries.count
      // The next block is the most likely one.
      if low < high, entries[low].lastUser >= user { high = low }
      while low < high {
        let middle = (low + high) / 2
        if entries[middle].lastUser < user { low = middle + 1 } else { high = middle }
      }
      while low < entries.count, entries[low].length == 0 { low += 1 }
      index = low
      guard low < entries.count else { return false }
      try show(block: low)
      return true
    }

    fileprivate func show(block: Int) throws {
      index = block
      try read(spillFile.runs[run][block])
    }

    private func read(_ entry: Entry) throws {
      if buffer.count < entry.length {
        buffer.deallocate()
        buffer = .allocate(byteCount: entry.length * 2, alignment: 8)
      }
      try spillFile.read(entry, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<entry.length]))
      let words = EventBlock.Header.names.count
      view.header = EventBlock.Header { buffer.load(fromByteOffset: $0 * 8, as: Int64.self) }
      view.textColumns = Int(buffer.load(fromByteOffset: words * 8, as: Int64.self))
      let count = EventBlock.Column.allCases.count
      var start = words * 8 + 8 + count * 4
      for column in 0..<count {
        let length = Int(buffer.load(fromByteOffset: words * 8 + 8 + column * 4, as: UInt32.self))
        view.columns[column] = UnsafeRawBufferPointer(rebasing: buffer[start..<start + length])
        start += length
      }
    }
  }

  fileprivate func read(_ entry: Entry, into bytes: UnsafeMutableRawBufferPointer) throws {
    if entry.offset >= bufferOffset {
      let start = Int(entry.offset - bufferOffset)
      buffer.withUnsafeBytes { all in
        bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[start..<start + entry.length]))
      }
      return
    }
    var done = 0
    while done < bytes.count {
      let count = pread(
        descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(entry.offset) + off_t(done))
      guard count > 0 else { throw Self.failure(directory) }
      done += count
    }
  }
}
