/// Emphasis by escape sequences (ECMA-48, SGR), or none.
struct TerminalStyle {
  var isColored: Bool

  func bold(_ text: String) -> String { styled(text, "1") }
  func dim(_ text: String) -> String { styled(text, "2") }

  /// Green for better and red for worse. A word or a sign always says it too.
  func tone(_ text: String, isBetter: Bool?) -> String { isBetter.map { styled(text, $0 ? "32" : "31") } ?? text }

  private func styled(_ text: String, _ code: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
