/// What was written.
public struct SampleSummary: Sendable, Hashable {
  public var persons = 0
  public var events = 0
  public var files = 0
  /// Of the lines, before compression.
  public var bytes = 0
  /// Of the files.
  public var storedBytes = 0
}
