/// What an ingest did.
public struct IngestSummary: Sendable, Equatable {
  /// Files taken; those skipped and failed aside.
  public var files = 0
  /// Whose formats they have.
  public var sources: Set<String> = []
  /// Files whose bytes had been read before.
  public var filesSkipped = 0
  public var failures: [Failure] = []
  /// New events stored.
  public var events = 0
  /// Lines whose event was known.
  public var duplicates = 0
  /// Contents that contradict an event of the same id.
  public var conflicts = 0
  /// Counts of aggregated reports, which are no events.
  public var reported = 0
  /// Lines in quarantine by reason, conflicts included.
  public var quarantined: [String: Int] = [:]

  /// A file of which nothing was taken.
  public struct Failure: Sendable, Equatable {
    public var path: String
    public var reason: String

    public init(path: String, reason: String) {
      self.path = path
      self.reason = reason
    }
  }

  /// Lines in quarantine.
  public var quarantinedLines: Int { quarantined.values.reduce(0, +) }

  public init() {}
}
