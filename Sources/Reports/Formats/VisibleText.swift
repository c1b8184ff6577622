extension Unicode.Scalar {
  /// Whether a terminal acts on it or shows nothing: controls, line separators, marks of direction, blanks without
  /// width. Joiners stay, they belong to emoji and to Persian and Indic words.
  var isHidden: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F,
      0xFEFF, 0xFFF9...0xFFFB:
      true
    default: false
    }
  }
}

/// A text of any origin as one line that shows all of it and moves nothing: a line feed becomes `\n`, an override
/// of direction `\u{202E}`.
func visible(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: \.isHidden) else { return text }
  var shown = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\n": shown += "\\n"
    case "\r": shown += "\\r"
    case "\t": shown += "\\t"
    case let scalar where scalar.isHidden: shown += "\\u{\(hexadecimal(scalar.value))}"
    default: shown.unicodeScalars.append(scalar)
    }
  }
  return shown
}

/// At least four hexadecimal digits.
func hexadecimal(_ value: UInt32) -> String {
  let digits = String(value, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}
