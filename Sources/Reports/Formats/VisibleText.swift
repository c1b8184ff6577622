internal import Basics

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
