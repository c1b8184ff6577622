public import Metrics
public import Serving

/// How the dashboard answers.
public struct DashboardSettings: Sendable {
  /// The tokens that admit a request; `nil` admits all users of this machine.
  public var tokens: AccessTokens?
  /// The time that a request may take.
  public var timeLimit = Duration.seconds(30)
  /// How long after a commit the previous page may be shown while the new one is computed.
  public var mostStale = Duration.seconds(120)
  /// Rows of a table for programs; more are refused.
  public var rowLimit = 100_000
  /// Rows of a table on a page; more are left to the files.
  public var pageRowLimit = 1_000
  /// Pages that have names.
  public var views: [SavedView] = []
  /// Notes on dates, drawn on axes of time.
  public var notes: [DayNote] = []
  /// The program's version.
  public var version: String

  public init(version: String) { self.version = version }
}
