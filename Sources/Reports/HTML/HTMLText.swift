/// A text of any origin as literal text of an element, or of an attribute in double quotes.
func htmlEscaped(_ text: String) -> String { htmlLiteral(visible(text)) }

/// Escapes a text like ``htmlEscaped(_:)``, but leaves hidden characters as they are.
///
/// Works by scalars and not by characters: a quote with a combining mark is one to
/// a browser.
func htmlLiteral(_ text: String) -> String {
  var escaped = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "&": escaped += "&amp;"
    case "<": escaped += "&lt;"
    case ">": escaped += "&gt;"
    case "\"": escaped += "&quot;"
    case "'": escaped += "&#39;"
    default: escaped.unicodeScalars.append(scalar)
    }
  }
  return escaped
}
