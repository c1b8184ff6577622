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
      return "cannot be read: there is no such file"
    }
    return isFolder.boolValue ? "is a folder; name a file" : "cannot be read: no permission"
  }

  /// Returns why a file or folder cannot be written: the system's reason, where the error has one.
  public static func reason(of error: any Error) -> String {
    let error = error as NSError
    if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError, cause.domain == NSPOSIXErrorDomain {
      return String(cString: strerror(Int32(cause.code)))
    }
    switch (error as? CocoaError)?.code {
    case .fileNoSuchFile, .fileReadNoSuchFile: return "there is no such file or folder"
    case .fileWriteFileExists: return "it is a file, not a folder"
    case .fileWriteNoPermission, .fileReadNoPermission: return "no permission"
    default: return error.localizedDescription
    }
  }
}
