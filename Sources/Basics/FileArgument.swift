public import Foundation

/// A file that an argument names.
public enum FileArgument {
  /// Returns all bytes of a file, or of a pipe that has a path, such as the shell's `<(command)`.
  public static func contents(of path: String) throws -> Data {
    let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? handle.close() }
    return try handle.readToEnd() ?? Data()
  }

  /// Returns why a file cannot be read, as the end of a sentence.
  public static func reason(against path: String) -> String {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      return "cannot be read: \(SystemReason.permission(at: path, isWritten: false) ?? "there is no such file")"
    }
    return isFolder.boolValue ? "is a folder; name a file" : "cannot be read: \(SystemReason.text(EACCES, at: path))"
  }

  /// Returns why a file or folder cannot be written: the system's reason, where the error has one.
  ///
  /// - Parameter path: The file or folder that was to be written.
  public static func reason(of error: any Error, at path: String) -> String {
    let error = error as NSError
    if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError, cause.domain == NSPOSIXErrorDomain {
      return SystemReason.text(Int32(cause.code), at: path)
    }
    switch (error as? CocoaError)?.code {
    case .fileNoSuchFile, .fileReadNoSuchFile: return "there is no such file or folder"
    case .fileWriteFileExists: return "it is a file, not a folder"
    case .fileWriteNoPermission, .fileReadNoPermission: return SystemReason.text(EACCES, at: path)
    case .fileWriteOutOfSpace: return SystemReason.text(ENOSPC, at: path)
    default: return error.localizedDescription
    }
  }
}
