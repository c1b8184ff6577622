import Foundation

/// Returns the names and contents of a directory's files.
func files(in directory: URL) throws -> [String: Data] {
  let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
  return try Dictionary(
    uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: directory.appendingPathComponent($0))) })
}
