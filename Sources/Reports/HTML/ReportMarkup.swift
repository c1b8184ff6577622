/// The parts of report markup that other pages need.
public enum ReportMarkup {
  /// A text of any origin as one line that shows all of it and moves nothing.
  public static func shown(_ text: String) -> String { visible(text) }

  /// A message that may have lines of its own, with nothing else hidden in it.
  public static func shown(linesOf message: String) -> String {
    message.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { visible(String(String.UnicodeScalarView($0))) }.joined(separator: "\n")
  }
}
