/// A command line to copy into a shell: words that need it are quoted, and what a terminal would act on or hide is
/// written by its bytes.
///
/// Source: POSIX.1-2024, "Shell Command Language", section 2.2.4, dollar-single-quotes.
public struct CommandLineText: Sendable, CustomStringConvertible {
  public let description: String

  public init(_ words: [String]) {
    description = words.map(Self.quoted).joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let scalars = word.unicodeScalars
    if !word.isEmpty, scalars.allSatisfy(isPlain) { return word }
    guard scalars.contains(where: \.isHidden) else { return "'" + word.replacing("'", with: #"'\''"#) + "'" }
    var text = "$'"
    for scalar in scalars {
      switch scalar {
      case "\n": text += #"\n"#
      case "\r": text += #"\r"#
      case "\t": text += #"\t"#
      case "'", "\\": text += "\\\(scalar)"
      case let scalar where scalar.isHidden: text += UTF8.encode(scalar)!.map(octal).joined()
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "'"
  }

  private static func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII
      && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        || "-_=,.:/+@%".unicodeScalars.contains(scalar))
  }
}

extension String {
  /// The text as a message about a wrong value shows it: `empty` for an empty one.
  public var asGiven: String { isEmpty ? "empty" : self }

  /// The text as one word of a shell's command line.
  public var shellWord: String { CommandLineText([self]).description }
}

extension Unicode.Scalar {
  /// Whether a terminal acts on it or shows nothing: controls, line separators, marks of direction, blanks without
  /// width, and tags, which can hide a whole text. Joiners stay, they belong to emoji and to Persian and Indic words.
  public var isHidden: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F,
      0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F:
      true
    default: false
    }
  }
}
