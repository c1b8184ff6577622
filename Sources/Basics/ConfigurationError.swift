/// A mistake in a file that a user wrote, such as an experiment's plan: its location and what is expected there.
public struct ConfigurationError: ReadableError, Equatable {
  public var file: String
  /// The line, from 1; `nil` if the mistake is not on a particular line.
  public var line: Int?
  /// The path of the key, such as `guardrails.margin`; empty for the file as a whole.
  public var key: String
  /// The end of the message, such as `is 1.5, but must be in (0, 1)`.
  public var problem: String

  public init(file: String, line: Int?, key: String, problem: String) {
    (self.file, self.line, self.key, self.problem) = (file, line, key, problem)
  }

  public var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    return key.isEmpty ? "\(place): \(problem)" : "\(place): \(key) \(problem)"
  }
}
