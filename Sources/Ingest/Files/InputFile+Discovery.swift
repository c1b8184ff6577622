public import Basics
internal import Foundation

/// An error for a path that cannot be read; nothing has been read when it is thrown.
public struct InputError: ReadableError, Sendable {
  public var path: String
  /// The problem and the fix.
  public var reason: String

  public var description: String { "\(path): \(reason)" }
}

extension InputFile {
  /// Finds the files for the given paths, in their order.
  ///
  /// A directory gives the regular files in it and below, in byte order of their relative paths, without symbolic
  /// links, and without files and folders whose names begin with `.` or `_`, such as Spark's `_SUCCESS`. `-` is standard
  /// input. A path that is given explicitly may be hidden, a link or a pipe.
  ///
  /// - Parameter unlisted: Called with each directory that cannot be listed; the others are still read. `nil` to throw.
  /// - Throws: ``InputError`` for a path that does not exist, and for a directory that cannot be listed.
  public static func discover(
    _ paths: [String], unlisted: ((InputError) -> Void)? = nil
  ) throws(InputError) -> [InputFile] {
    var files: [InputFile] = []
    for path in paths { files += try discover(pathBytes: Array(path.utf8), unlisted: unlisted) }
    return files
  }

  /// Finds the files for one path, which need not be UTF-8.
  public static func discover(
    pathBytes path: [UInt8], unlisted: ((InputError) -> Void)? = nil
  ) throws(InputError) -> [InputFile] {
    if path == Array("-".utf8) { return [.standardInput] }
    var status = stat()
    guard withPath(path, { stat($0, &status) }) == 0 else {
      throw InputError(path: readable(path), reason: "cannot be read: \(SystemReason.text(errno, at: readable(path)))")
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return try files(below: path, unlisted)
    case S_IFREG: return [InputFile(pathBytes: path, byteCount: Int64(status.st_size))]
    default: return [InputFile(pathBytes: path, byteCount: nil)]
    }
  }

  private static func files(
    below directory: [UInt8], _ unlisted: ((InputError) -> Void)?
  ) throws(InputError) -> [InputFile] {
    let slash = UInt8(ascii: "/")
    let prefix = directory.last == slash ? directory : directory + [slash]
    var found: [(relative: [UInt8], byteCount: Int64)] = []
    var open: [[UInt8]] = [[]]
    func leaveOut(_ error: InputError) throws(InputError) {
      guard let unlisted else { throw error }
      unlisted(error)
    }
    while let folder = open.popLast() {
      var names: [[UInt8]] = []
      do { names = try self.names(in: prefix + folder) } catch { try leaveOut(error) }
      for name in names where name.first != UInt8(ascii: ".") && name.first != UInt8(ascii: "_") {
        var status = stat()
        let relative = folder + name
        // A file that disappears after listing is skipped.
        guard withPath(prefix + relative, { lstat($0, &status) }) == 0 else {
          if errno != EACCES { continue }
          // A folder that may be listed and not opened refuses each of its files.
          try leaveOut(unlistedError(prefix + folder))
          break
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: open.append(relative + [slash])
        case S_IFREG: found.append((relative, Int64(status.st_size)))
        default: break
        }
      }
    }
    found.sort { $0.relative.lexicographicallyPrecedes($1.relative) }
    return found.map { InputFile(pathBytes: prefix + $0.relative, byteCount: $0.byteCount) }
  }

  private static func unlistedError(_ directory: [UInt8]) -> InputError {
    let place = readable(directory.count > 1 && directory.last == UInt8(ascii: "/") ? directory.dropLast() : directory)
    return InputError(path: place, reason: "cannot be listed: \(SystemReason.text(errno, at: place))")
  }

  private static func names(in directory: [UInt8]) throws(InputError) -> [[UInt8]] {
    guard let stream = withPath(directory, { opendir($0) }) else { throw unlistedError(directory) }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
      let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
      let name = UnsafeRawPointer(entry) + offset
      names.append(Array(UnsafeRawBufferPointer(start: name, count: strlen(name.assumingMemoryBound(to: CChar.self)))))
    }
    return names
  }

  private static func withPath<Result>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (path + [0]).withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
  }

  /// Returns the SHA-256 of the file's stored bytes; `nil` if it cannot be read.
  public func digest() -> [UInt8]? {
    guard let source = try? ByteSource(self, blockByteCount: 1 << 20) else { return nil }
    return try? source.digestAhead()
  }
}
