/// A text that no spreadsheet runs: with `'` before it when it begins like a formula.
///
/// Source: OWASP, "CSV Injection", whose list has the full-width signs that East Asian editions take for the plain
/// ones.
func spreadsheetSafe(_ text: String) -> String {
  guard let first = text.unicodeScalars.first else { return text }
  switch first {
  case "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": return "'" + text
  default: return text
  }
}
