public import Foundation

/// A hidden file or folder in which something is made before it takes its place; it is locked while its maker lives, so
/// that the next run can remove what a killed one left.
///
/// The name is `.NAME.part-PROCESS`, in the folder of the final file; a long name is cut. A part that only one process at a
/// time may have is `.NAME.part-0`.
public final class PartFile: Sendable {
  public let path: String
  public let descriptor: Int32

  /// Creates a file, or a folder, for its owner only.
  ///
  /// - Parameters:
  ///   - target: The path of the place.
  ///   - folder: The folder to create it in; `nil` for that of the target.
  /// - Returns: `nil` if it cannot be created; `errno` has the reason.
  public init?(for target: String, in folder: String? = nil, isFolder: Bool = false) {
    let place = Self.place(of: target)
    let folder = folder ?? place.folder
    Self.removeStale(in: folder, of: place.name)
    path = "\(folder)/.\(place.name).part-\(getpid())"
    descriptor = Self.create(path, isFolder: isFolder)
    if descriptor < 0 { return nil }
  }

  private static func create(_ path: String, isFolder: Bool) -> Int32 {
    while true {
      if isFolder, mkdir(path, 0o700) != 0 { return -1 }
      let flags = isFolder ? O_RDONLY | O_DIRECTORY : O_RDWR | O_CREAT | O_EXCL
      let descriptor = open(path, flags | O_CLOEXEC, 0o600)
      if descriptor < 0, isFolder, errno == ENOENT { continue }
      guard descriptor >= 0 else { return -1 }
      // Until it is locked, another process may take it for one that a killed process left, and remove it.
      while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
      if isFile(descriptor, at: path) { return descriptor }
      close(descriptor)
    }
  }

  /// Creates the file that one process at a time may have for a target, for its owner only; waits while another has it.
  ///
  /// - Parameter seconds: The time to wait.
  /// - Returns: `nil` if it cannot be created; `errno` has the reason, `EWOULDBLOCK` if another process still has it.
  public init?(alone target: String, seconds: Double) {
    let place = Self.place(of: target)
    path = "\(place.folder)/.\(place.name).part-0"
    descriptor = Self.create(path, aloneFor: place, seconds: seconds)
    if descriptor < 0 { return nil }
    // A umask may have removed the owner's permissions.
    fchmod(descriptor, 0o600)
  }

  private static func create(_ path: String, aloneFor place: (folder: String, name: String), seconds: Double) -> Int32 {
    let end = ContinuousClock.now + .seconds(min(seconds, 1e9))
    while true {
      removeStale(in: place.folder, of: place.name)
      let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { return -1 }
      // Between the two calls, another process may have locked, renamed or removed the file.
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isNew(descriptor, at: path) { return descriptor }
      close(descriptor)
      guard ContinuousClock.now < end else {
        errno = EWOULDBLOCK
        return -1
      }
      usleep(20_000)
    }
  }

  /// Returns whether an open file is empty and still at its path.
  private static func isNew(_ descriptor: Int32, at path: String) -> Bool {
    var opened = stat()
    return isFile(descriptor, at: path) && fstat(descriptor, &opened) == 0 && opened.st_size == 0
  }

  /// Returns whether an open file or folder is still at its path.
  private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
    var (opened, found) = (stat(), stat())
    return fstat(descriptor, &opened) == 0 && lstat(path, &found) == 0 && opened.st_ino == found.st_ino
      && opened.st_dev == found.st_dev
  }

  deinit {
    // The reason of a failure stays in `errno`.
    if descriptor >= 0 { close(descriptor) }
  }

  /// Writes all bytes and has them reach the disk.
  ///
  /// - Returns: `false` if that failed; `errno` has the reason.
  public func write(_ bytes: [UInt8], mode: mode_t = 0o600) -> Bool {
    guard fchmod(descriptor, mode) == 0 else { return false }
    return Self.write(bytes, to: descriptor) && fsync(descriptor) == 0
  }

  /// Writes all bytes to an open file.
  ///
  /// - Returns: `false` if that failed; `errno` has the reason.
  public static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var place = 0
    while place < bytes.count {
      let count = Foundation.write(descriptor, bytes.baseAddress! + place, bytes.count - place)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      place += count
    }
    return true
  }

  public static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { write($0, to: descriptor) }
  }

  /// Removes the parts that killed processes left in a folder.
  ///
  /// - Parameters:
  ///   - name: The name of the place that they were for; `nil` for any.
  ///   - condition: Returns whether a part may be removed.
  /// - Returns: The number of parts removed; SQLite's files next to them do not count.
  @discardableResult
  public static func removeStale(
    in folder: String, of name: String?, where condition: (_ path: String) -> Bool = { _ in true }
  ) -> Int {
    let names = Self.names(in: folder)
    var removed = 0
    for part in names where isPart(part, of: name) {
      let path = "\(folder)/\(part)"
      let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isFile(descriptor, at: path), condition(path) else { continue }
      // SQLite's files, and the seal with its own part, have the part's name before theirs.
      let beginnings = [part + "-", part + ".", ".\(part)."]
      for beside in names where beginnings.contains(where: beside.hasPrefix) {
        unlink("\(folder)/\(beside)")
      }
      remove(path)
      removed += 1
    }
    return removed
  }

  /// Removes a file, or a folder with all in it; links are removed, not followed.
  private static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      unlink(path)
      return
    }
    for name in names(in: path) { remove("\(path)/\(name)") }
    rmdir(path)
  }

  private static func isPart(_ part: String, of name: String?) -> Bool {
    guard let mark = part.ranges(of: ".part-").last, part.hasPrefix(".") else { return false }
    let process = part[mark.upperBound...]
    guard !process.isEmpty, process.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
    return name.map { part[..<mark.lowerBound] == ".\($0)" } ?? true
  }

  private static func place(of target: String) -> (folder: String, name: String) {
    var target = Substring(target)
    while target.count > 1, target.last == "/" { target.removeLast() }
    guard let slash = target.lastIndex(of: "/") else { return (".", shortened(target)) }
    let folder = target[..<slash]
    return (folder.isEmpty ? "/" : String(folder), shortened(target[target.index(after: slash)...]))
  }

  /// Leaves room for what a part's name has besides, and SQLite's files after it: names have 255 bytes at most.
  private static func shortened(_ name: Substring) -> String { String(decoding: name.utf8.prefix(200), as: UTF8.self) }

  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }
}
