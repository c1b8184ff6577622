extension ReportRequest {
  /// Returns a message with its options named as programs pass them: `--from` as `from`, and `--cell` as `key`.
  ///
  /// Commands between backticks stay.
  ///
  /// - Parameter name: Returns the name of an option's parameter.
  public static func parameterText(_ message: String, name: (String) -> String = { $0 }) -> String {
    message.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { place, part -> String in
      guard place.isMultiple(of: 2) else { return String(part) }
      return String(part).replacing(#/(^|[ \(])--([a-z][a-z-]*)/#) { match -> String in
        let option = String(match.2)
        return "\(match.1)\(option == "cell" ? "key" : name(option))"
      }
    }.joined(separator: "`")
  }
}
