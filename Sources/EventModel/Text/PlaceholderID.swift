/// Ids that a client sends where it has none, so that whoever has them is not one and the same.
public enum PlaceholderID {
  /// In lower case; any case is meant, and any number of zeros, as of an empty UUID.
  public static let names = [
    "undefined", "null", "(null)", "<null>", "nil", "none", "nan", "unknown", "anonymous", "guest", "n/a", "#n/a",
    "(none)", "(not set)", "[object object]",
  ]

  /// Returns whether an id stands for none.
  public static func matches(_ id: UnsafeRawBufferPointer) -> Bool {
    if id.isEmpty { return true }
    if id.allSatisfy({ $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "-") }) { return true }
    return names.contains { name in
      name.utf8.count == id.count
        && zip(name.utf8, id).allSatisfy { $0 == ((65...90).contains($1) ? $1 | 0x20 : $1) }
    }
  }

  /// Returns the condition as SQL.
  public static func sql(_ column: String) -> String {
    let list = names.map { "'\($0)'" }.joined(separator: ", ")
    let longest = names.map(\.count).max() ?? 0
    // The comparisons before the others are cheap, and no placeholder fails them: of '', '-' and '0' all are below '1'.
    return """
      (length(\(column)) <= \(longest) AND lower(\(column)) IN (\(list)) OR \(column) < '1' AND trim(\(column), '0-') = '')
      """
  }
}
