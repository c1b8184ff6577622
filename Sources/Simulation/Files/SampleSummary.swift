/// Counts of what was written.
public struct SampleSummary: Sendable, Hashable {
  public var persons = 0
  public var events = 0
  public var files = 0
  /// Bytes of the lines, before compression.
  public var bytes = 0
  /// Bytes of the files.
  public var storedBytes = 0
}
