internal import EventModel
internal import Foundation
internal import Parquet

/// The rows of a Parquet file as lines of JSON.
///
/// Parquet is read at any place. What comes through a pipe, or out of a compressed file, is first copied to a file
/// without a name, which is gone when it is closed.
final class ParquetContent {
  private let rows: ParquetRows
  /// The copy; `nil` for a file that is read where it is.
  private let copy: Int32?

  /// Returns whether a file begins as Parquet does, encrypted files included.
  static func isParquet(_ head: UnsafeRawBufferPointer) -> Bool {
    head.starts(with: ParquetInput.magic) || head.starts(with: Array("PARE".utf8))
  }

  /// Reads a regular file where it is.
  init(_ source: ByteSource) throws(FileFailure) {
    copy = nil
    let descriptor = try source.takeDescriptor()
    rows = try Self.rows(extras: HiveFolders.keys(of: source.input)) { () throws(ParquetFailure) in
      try ParquetInput(descriptor: descriptor) { source.didRead($0) }
    }
  }

  /// Copies a file, then reads it.
  ///
  /// - Parameters:
  ///   - head: The bytes before those that `next` writes.
  ///   - folder: The folder for the copy; `nil` for that of temporary files.
  ///   - next: Writes the next bytes and returns their number; 0 only at the end.
  init(
    head: UnsafeRawBufferPointer, folder: String?,
    _ next: (UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int
  ) throws(FileFailure) {
    let descriptor = try NamelessFile.create(in: folder)
    copy = descriptor
    do {
      try NamelessFile.write(head, to: descriptor)
      let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
      defer { block.deallocate() }
      while case let count = try next(block), count > 0 {
        try NamelessFile.write(UnsafeRawBufferPointer(rebasing: block[..<count]), to: descriptor)
      }
      try Self.dropLineFeed(descriptor)
      rows = try Self.rows(extras: []) { () throws(ParquetFailure) in try ParquetInput(descriptor: descriptor) }
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit {
    if let copy { close(copy) }
  }

  /// Writes the next bytes of the lines and returns their number; 0 only at the end.
  func read(into room: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    do {
      return try rows.read(into: room)
    } catch {
      throw FileFailure(error.reason)
    }
  }

  private static func rows(
    extras: [(name: String, value: String)], _ input: () throws(ParquetFailure) -> ParquetInput
  ) throws(FileFailure) -> ParquetRows {
    var options = ParquetOptions()
    // A longer row is rejected as too long a line.
    options.rowBytes = Limits.lineBytes
    options.nativeNames = [EventField.event, .ts, .userID, .app, .eventID].map(\.name)
    options.objectName = EventField.properties.name
    options.extras = extras
    do {
      return try ParquetRows(input(), options)
    } catch {
      throw FileFailure(error.reason)
    }
  }

  /// Drops the line feed that ``ZipContent`` adds.
  private static func dropLineFeed(_ descriptor: Int32) throws(FileFailure) {
    let end = lseek(descriptor, 0, SEEK_END)
    var last: UInt8 = 0
    guard end > 0, pread(descriptor, &last, 1, end - 1) == 1, last == UInt8(ascii: "\n") else { return }
    guard ftruncate(descriptor, end - 1) == 0 else { throw .system("cannot be copied to a temporary file") }
  }
}
