internal import Basics
internal import Foundation

/// The reason why a whole file is rejected.
struct FileFailure: Error {
  var reason: String
  /// Whether the store records the failure.
  var isRemembered = true

  init(_ reason: String) { self.reason = reason }

  static let truncated = FileFailure("truncated: the compressed data ends too early; copy the file again")

  /// Returns a failure with the system's message for the last call's error.
  static func system(_ action: String, code: Int32 = errno) -> FileFailure {
    FileFailure("\(action): \(String(cString: strerror(code)))")
  }

  /// Returns a failure with the system's message and the next step for an input that this user may not read.
  static func system(_ action: String, at input: InputFile) -> FileFailure {
    FileFailure("\(action): \(SystemReason.text(errno, at: input.path))")
  }
}
