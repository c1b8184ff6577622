/// The results of an ingest.
public struct IngestSummary: Sendable, Equatable {
  /// The number of files ingested, without skipped and failed ones.
  public var files = 0
  /// The sources of these files.
  public var sources: Set<String> = []
  /// The number of files skipped because they had been read before.
  public var filesSkipped = 0
  public var failures: [Failure] = []
  /// The paths of files that were ingested and have bytes, but no line, such as an empty list or a header alone.
  public var emptyFiles: [String] = []
  /// The number of new events stored.
  public var events = 0
  /// The number of lines with events that were already known.
  public var duplicates = 0
  /// The number of contents that contradict an event with the same id.
  public var conflicts = 0
  /// The number of counts from aggregated reports, which are not events.
  public var reported = 0
  /// The number of quarantined lines by reason, including conflicts.
  public var quarantined: [String: Int] = [:]

  /// A file from which nothing was ingested.
  public struct Failure: Sendable, Equatable {
    public var path: String
    public var reason: String

    public init(path: String, reason: String) {
      self.path = path
      self.reason = reason
    }
  }

  /// The number of quarantined lines.
  public var quarantinedLines: Int { quarantined.values.reduce(0, +) }

  public init() {}
}
