internal import Basics
internal import EventModel

/// Texts that databases and data frames write where there is no value.
enum NullText {
  private static let names: Set<String> = [
    "NULL", "null", "\\N", "NaN", "nan", "None", "<NA>", "NaT", "-", "--", "N/A", "n/a", "#N/A",
  ]

  /// Texts that analytics tools write, in lower case.
  private static let marked: Set<String> = [
    "undefined", "(not set)", "(none)", "(null)", "(empty)", "(blank)", "<null>", "<none>", "[null]",
  ]

  /// Days that databases write where there is no time.
  private static let days = ["0000-00-00", "0001-01-01", "1970-01-01"]

  static func matches(_ text: String) -> Bool {
    let count = text.utf8.count
    if count <= 4 { return count > 0 && names.contains(text) }
    if count < 10 {
      return count > 5 && "uU([<".utf8.contains(text.utf8.first ?? 0) && marked.contains(text.lowercased())
    }
    guard count <= 32, let first = text.utf8.first, first == 0x30 || first == 0x31 else { return false }
    return days.contains { text.hasPrefix($0) }
      && text.utf8.allSatisfy { !($0 | 0x20 >= 0x61) || $0 == 0x54 || $0 == 0x5A }
  }
}

extension JSONNode {
  /// Whether the value is absent or a text that stands for no value.
  var isNoValue: Bool {
    if case .string(let text) = self { text.isEmpty || NullText.matches(text) } else { isAbsent }
  }

  /// Whether the value is an id that a client sends where it has none.
  var isPlaceholderID: Bool {
    guard var text else { return false }
    return text.withUTF8 { PlaceholderID.matches(UnsafeRawBufferPointer($0)) }
  }
}
