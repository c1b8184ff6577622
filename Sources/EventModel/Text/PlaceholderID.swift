/// Ids that a client sends where it has none, so that whoever has them is not one and the same.
public enum PlaceholderID {
  /// In lower case; any case is meant, blanks around them, and any number of zeros, as of an empty UUID.
  public static let names = [
    "undefined", "null", "(null)", "<null>", "nil", "<nil>", "none", "nan", "unknown", "anonymous", "guest", "n/a",
    "#n/a", "(none)", "(not set)", "[object object]", "-1",
  ]

  /// Returns whether an id stands for none.
  public static func matches(_ id: UnsafeRawBufferPointer) -> Bool {
    let blank = UInt8(ascii: " ")
    guard let first = id.firstIndex(where: { $0 != blank }), let last = id.lastIndex(where: { $0 != blank }) else {
      return true
    }
    let id = id[first...last]
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
    // The comparisons before the others are cheap. Of blanks, '', '-' and '0' all are below '1'.
    return """
      (length(trim(\(column))) <= \(longest) AND trim(\(column)) COLLATE NOCASE IN (\(list)) \
      OR \(column) < '1' AND trim(trim(\(column)), '0-') = '')
      """
  }
}
