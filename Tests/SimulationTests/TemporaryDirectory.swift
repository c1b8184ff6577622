import Foundation

/// A directory of its own for a test, gone at the end of it.
func withTemporaryDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("tollgate-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: url) }
  return try body(url)
}

/// Names and contents of a directory's files.
func files(in directory: URL) throws -> [String: Data] {
  let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
  return try Dictionary(
    uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: directory.appendingPathComponent($0))) })
}
