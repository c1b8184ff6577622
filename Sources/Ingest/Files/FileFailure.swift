#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Why nothing of a file counts.
struct FileFailure: Error {
  var reason: String

  init(_ reason: String) { self.reason = reason }

  /// With the system's words for the error of the last call.
  static func system(_ action: String, code: Int32 = errno) -> FileFailure {
    FileFailure("\(action): \(systemMessage(code))")
  }
}

/// The system's words for an error number.
func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }
