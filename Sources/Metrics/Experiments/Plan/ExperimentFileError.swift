/// What is wrong in an experiment's file, where, and what it must be.
public struct ExperimentFileError: Error, Equatable, CustomStringConvertible {
  public var file: String
  /// From 1; `nil` where it is of no line.
  public var line: Int?
  /// Such as `guardrails.margin`; empty for the file as a whole.
  public var key: String
  /// Such as `is 1.5, but must be in (0, 1)`.
  public var problem: String

  public var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    return key.isEmpty ? "\(place): \(problem)" : "\(place): \(key) \(problem)"
  }
}
