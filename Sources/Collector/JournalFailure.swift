public import Basics
internal import Foundation

/// An error of a file or folder of journals.
public struct JournalFailure: ReadableError {
  public var description: String

  init(_ path: String, _ what: String) { description = "\(path): \(what)" }

  /// Returns a failure with the system's message for `code`, by default the error of the last call.
  static func system(_ path: String, _ action: String, code: Int32 = errno) -> JournalFailure {
    JournalFailure(path, "\(action): \(String(cString: strerror(code)))")
  }
}
