#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Which file has a path, whatever other names it has: its device and number there.
public struct FileIdentity: Hashable, Sendable {
  private var device: UInt64
  private var number: UInt64

  /// - Returns: `nil` where no file is.
  public init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }
}
