internal import Crypto
internal import Foundation

/// The keys and values in the names of a file's folders, such as `country=DE`, which are columns that the file lacks.
enum HiveFolders {
  private static let absent = "__HIVE_DEFAULT_PARTITION__"

  /// Returns the keys of a file's folders, from the outermost one.
  static func keys(of input: InputFile) -> [(name: String, value: String)] {
    input.isStandardInput ? [] : keys(of: String(decoding: input.pathBytes, as: UTF8.self))
  }

  static func keys(of path: String) -> [(name: String, value: String)] {
    path.split(separator: "/").dropLast().compactMap { folder in
      let parts = folder.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, parts[1] != absent else { return nil }
      return (text(parts[0]), text(parts[1]))
    }
  }

  /// Returns the identity of a file: that of its bytes and of the keys of its folders.
  static func digest(_ digest: [UInt8], of input: InputFile) -> [UInt8] {
    let keys = keys(of: input)
    if keys.isEmpty { return digest }
    var hasher = SHA256()
    hasher.update(data: digest)
    for (name, value) in keys { hasher.update(data: Array("\0\(name)\0\(value)".utf8)) }
    return Array(hasher.finalize())
  }

  private static func text(_ part: Substring) -> String { part.removingPercentEncoding ?? String(part) }
}
