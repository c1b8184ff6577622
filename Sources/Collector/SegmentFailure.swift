#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A file or folder of segments that cannot be used.
public struct SegmentFailure: Error, CustomStringConvertible {
  public var description: String

  init(_ path: String, _ what: String) { description = "\(path): \(what)" }

  /// With the system's words for the error of the last call.
  static func system(_ path: String, _ action: String, code: Int32 = errno) -> SegmentFailure {
    SegmentFailure(path, "\(action): \(String(cString: strerror(code)))")
  }
}
