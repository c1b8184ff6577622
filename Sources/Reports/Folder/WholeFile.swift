public import Basics
public import Foundation

/// Writes files that are whole at any time, readable by their owner only unless an existing file says otherwise.
public enum WholeFile {
  /// Why a file could not be written.
  public struct Failure: Error, CustomStringConvertible, Sendable {
    public var description: String

    static func system(_ path: String) -> Failure {
      Failure(description: "cannot be written: \(SystemReason.text(errno, at: path))")
    }
  }

  /// The rights of a file that is new, whatever the umask.
  private static let ownerOnly: mode_t = 0o600

  /// Writes the file, or leaves the one that is there as it is, with its rights.
  ///
  /// Writes to a pipe or terminal directly; for a link, replaces the file that it leads to.
  public static func write(_ content: Data, to path: String) throws(Failure) {
    let bytes = Array(content)
    var status = stat()
    guard stat(path, &status) == 0 else { return try replace(path, by: bytes, mode: ownerOnly) }
    // `/dev/stdout` may be a file that others write to as well.
    guard status.st_mode & S_IFMT == S_IFREG, !path.hasPrefix("/dev/"), !path.hasPrefix("/proc/") else {
      let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
      guard descriptor >= 0 else { throw .system(path) }
      defer { close(descriptor) }
      // The disk of a device or pipe says nothing.
      guard PartFile.write(bytes, to: descriptor) else {
        throw Failure(description: "cannot be written: \(String(cString: strerror(errno)))")
      }
      return
    }
    guard let resolved = realpath(path, nil) else { throw .system(path) }
    defer { free(resolved) }
    try replace(String(cString: resolved), by: bytes, mode: status.st_mode & 0o7777)
  }

  /// Writes a file that the user names.
  ///
  /// - Parameter option: The option that names it, followed by a space; empty for a setting.
  public static func write(_ content: Data, to path: String, ofOption option: String) throws(UsageError) {
    do { try write(content, to: path) } catch { throw UsageError("\(option)\(path): \(error)") }
  }

  /// Creates a file that takes another's place later, with that one's rights if it is there.
  ///
  /// - Parameter isPublic: Whether all users may read it.
  static func create(
    _ path: String, toReplace other: String, _ text: String, isPublic: Bool = false
  ) throws(Failure) {
    var status = stat()
    let own = stat(other, &status) == 0 ? status.st_mode & 0o666 : ownerOnly
    let mode = isPublic ? own | 0o044 : own
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, ownerOnly)
    guard descriptor >= 0 else { throw .system(path) }
    defer { close(descriptor) }
    // Has the bytes reach the disk, so that no crash of the machine leaves a name without them.
    guard fchmod(descriptor, mode) == 0, PartFile.write(Array(text.utf8), to: descriptor), fsync(descriptor) == 0 else {
      throw .system(path)
    }
  }

  private static func replace(_ path: String, by bytes: [UInt8], mode: mode_t) throws(Failure) {
    guard let part = PartFile(for: path) else { throw .system(path) }
    guard part.write(bytes, mode: mode), rename(part.path, path) == 0 else {
      let failure = Failure.system(path)
      unlink(part.path)
      throw failure
    }
  }
}
