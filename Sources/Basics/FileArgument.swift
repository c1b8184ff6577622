public import Foundation

/// A file that an argument names.
public enum FileArgument {
  /// Returns all bytes of a file, or of a pipe that has a path, such as the shell's `<(command)`.
  public static func contents(of path: String) throws -> Data {
    let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? handle.close() }
    return try handle.readToEnd() ?? Data()
  }

  /// Returns all bytes of a file, or of standard input for `-`.
  public static func contents(ofFileOrInput path: String) throws -> Data {
    path == "-" ? try FileHandle.standardInput.readToEnd() ?? Data() : try contents(of: path)
  }
}
