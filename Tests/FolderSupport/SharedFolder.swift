public import Foundation

/// Data that is not part of the repository, and not everywhere: the folder that `TOLLGATE_SHARED` names, else `shared` beside
/// the package.
///
/// Without the variable, tests whose data is missing are skipped; with it, they fail.
public enum SharedFolder {
  private static let named: URL? = ProcessInfo.processInfo.environment["TOLLGATE_SHARED"]
    .flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0) }

  private static let besidePackage = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared")

  /// A file or folder in it, such as `data/fixtures`.
  public static func url(of path: String) -> URL { (named ?? besidePackage).appendingPathComponent(path) }

  /// Whether tests of a file or folder in it run.
  public static func isTried(_ path: String) -> Bool {
    named != nil || FileManager.default.fileExists(atPath: url(of: path).path)
  }

  /// Why tests of a file or folder in it are skipped.
  public static func absence(of path: String) -> String {
    "no \(url(of: path).path): set TOLLGATE_SHARED to the folder that has \(path)"
  }
}
