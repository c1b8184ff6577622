/// What pages around reports need of how reports are made.
public enum ReportMarkup {
  /// The style sheet of tables, light and dark, for the screen and for paper.
  public static let style = htmlStyle

  /// A text of any origin as literal text of an element, or of an attribute in double quotes.
  ///
  /// - Parameter showsHidden: Whether controls and marks of direction become text that says so; a form's values stay
  ///   as they are.
  public static func escaped(_ text: String, showsHidden: Bool = true) -> String {
    showsHidden ? htmlEscaped(text) : htmlLiteral(text)
  }

  /// A text of any origin as one line that shows all of it and moves nothing.
  public static func shown(_ text: String) -> String { visible(text) }

  /// A message that may have lines of its own, with nothing else hidden in it.
  public static func shown(linesOf message: String) -> String {
    message.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { visible(String(String.UnicodeScalarView($0))) }.joined(separator: "\n")
  }
}
