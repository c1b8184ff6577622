internal import Basics
internal import EventModel

/// Texts that databases and data frames write where there is no value.
enum NullText {
  private static let names: Set<String> = [
    "NULL", "null", "\\N", "NaN", "nan", "None", "<NA>", "NaT", "-", "--", "N/A", "n/a", "#N/A",
  ]

  static func matches(_ text: String) -> Bool { (1...4).contains(text.utf8.count) && names.contains(text) }
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
