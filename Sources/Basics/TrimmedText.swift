extension StringProtocol {
  /// The text without white space at its ends.
  public var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
