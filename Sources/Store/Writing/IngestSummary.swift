public struct IngestSummary: Sendable, Equatable {
  /// The number of files ingested, without skipped and failed ones.
  public var files = 0
  public var sources: Set<String> = []
  /// The number of files skipped because they had been read before.
  public var filesSkipped = 0
  public var failures: [Failure] = []
  /// The paths of files that were ingested, but have no line, such as an empty list or a header alone.
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
  /// The number of records that a mapping ignores, or that give no event.
  public var ignored = 0
  /// The number of new joins of two ids of a user by a mapping's `joins`; they are not among the events.
  public var joins = 0
  /// The number of new events by the name of their kind, without joins.
  public var kinds: [String: Int] = [:]
  /// The number of rejected lines by the name of the kind that their events would be, where it is known.
  public var rejectedKinds: [String: Int] = [:]
  /// The files that were read before with other settings.
  public var readAgain: [ReadAgain] = []
  /// The files that brought no event at all although they have records.
  public var barren: [Barren] = []

  /// A file that an earlier run read with other settings.
  public struct ReadAgain: Sendable, Equatable {
    public enum Outcome: Sendable, Equatable {
      /// Nothing of it was taken before: the file is read again, and its earlier rejected lines are dropped.
      case anew(dropped: Int)
      /// Some had been taken: the records that were ignored or rejected are read with the new mapping.
      case ignored(events: Int, rejected: Int)
      /// Some had been taken: only its quarantined lines are read with the new settings.
      case quarantine(released: Int, remaining: Int)
    }

    public var path: String
    public var outcome: Outcome
  }

  /// A file without an event: all its records are in quarantine or ignored.
  public struct Barren: Sendable, Equatable {
    public var path: String
    public var quarantined: Int
    public var ignored: Int
  }

  /// A file from which nothing was ingested.
  public struct Failure: Sendable, Equatable {
    public var path: String
    public var reason: String

    public init(path: String, reason: String) {
      self.path = path
      self.reason = reason
    }
  }

  public var quarantinedLines: Int { quarantined.values.reduce(0, +) }

  public init() {}
}
