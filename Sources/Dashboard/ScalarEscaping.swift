internal import Mustache
internal import Reports

/// Escapes by scalars. The templates' own way looks at characters as people see them, and takes a quote that a combining
/// mark follows for another one than a quote: a browser does not.
struct ScalarEscaping: MustacheContentType {
  static let name = "MARKUP"

  func escapeText(_ text: String) -> String { ReportMarkup.escaped(text, showsHidden: false) }

  static func register() { MustacheContentTypes.register(ScalarEscaping(), named: name) }
}
