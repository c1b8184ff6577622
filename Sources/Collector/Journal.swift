internal import Basics
internal import Foundation

/// A file of lines being written: one zstd frame per group, so that a crash leaves whole groups at its start.
///
/// Do not use it after an error: part of the failed group may be on the disk.
final class Journal {
  /// The zstd level; at any level a webhook's body shrinks to about a third.
  private static let level: Int32 = 3

  let name: String
  /// Compressed bytes on the disk.
  private(set) var byteCount = 0
  private(set) var lineCount = 0

  private let folder: JournalFolder
  private let path: String
  private let descriptor: Int32
  // Each frame has a checksum, so a frame that a crash cut short is recognized.
  private let zstd = ZstdFrame(level: Journal.level, hasChecksum: true)

  /// Creates the file with mode 0600 and syncs its name to the disk.
  init(_ name: String, in folder: JournalFolder) throws(JournalFailure) {
    let path = folder.path(of: folder.partName(of: name))
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(path, "cannot be created") }
    self.name = name
    self.folder = folder
    self.path = path
    self.descriptor = descriptor
    try folder.synchronise()
  }

  deinit { close(descriptor) }

  /// Writes a group as one frame; the frame is on the disk when this returns.
  func append(_ group: [UInt8], lineCount: Int) throws(JournalFailure) {
    let frame: [UInt8]
    do {
      frame = try group.withUnsafeBytes { try zstd.frame(of: $0) }
    } catch {
      throw JournalFailure(path, "cannot be compressed: \(error)")
    }
    guard PartFile.write(frame, to: descriptor) else { throw .system(path, "cannot be written") }
    #if canImport(Glibc)
      let synchronised = fdatasync(descriptor)
    #else
      let synchronised = fsync(descriptor)
    #endif
    guard synchronised == 0 else { throw .system(path, "cannot be synchronised") }
    byteCount += frame.count
    self.lineCount += lineCount
  }

  /// Renames the file to its final name.
  func finish() throws(JournalFailure) { try folder.publish(name) }
}
