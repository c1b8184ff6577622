/// A mistake in a file that a user wrote, such as an experiment's plan: where it is, and what must stand there.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  public var file: String
  /// From 1; `nil` where it is of no line.
  public var line: Int?
  /// Such as `guardrails.margin`; empty for the file as a whole.
  public var key: String
  /// Such as `is 1.5, but must be in (0, 1)`.
  public var problem: String

  public init(file: String, line: Int?, key: String, problem: String) {
    (self.file, self.line, self.key, self.problem) = (file, line, key, problem)
  }

  public var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    return key.isEmpty ? "\(place): \(problem)" : "\(place): \(key) \(problem)"
  }
}
