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
        || "-_=,.:/+".unicodeScalars.contains(scalar))
  }
}
