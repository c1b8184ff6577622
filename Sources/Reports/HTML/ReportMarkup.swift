/// What pages around reports need of how reports are made.
public enum ReportMarkup {
  /// A text of any origin as one line that shows all of it and moves nothing.
  public static func shown(_ text: String) -> String { visible(text) }
}
