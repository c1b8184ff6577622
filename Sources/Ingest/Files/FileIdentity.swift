internal import Foundation

/// The identity of a file independent of its names: its device and inode number.
public struct FileIdentity: Hashable, Sendable {
  private var device: UInt64
  private var number: UInt64

  /// - Returns: `nil` if there is no such file.
  public init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }

  /// Returns the path of a file without links; the path given if there is no such file.
  public static func realPath(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
