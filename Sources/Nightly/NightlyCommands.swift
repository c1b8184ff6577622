public import Basics
public import Metrics
public import Store

/// The command line as a night uses it: reports by their words, and the status and text of errors.
public protocol NightlyCommands {
  /// Returns the maker of a report that a command writes to a file.
  ///
  /// - Throws: An error for words that write no report, or that cannot be.
  func report(_ words: [String]) throws -> NightlyReportMaker
  /// Returns the file that a report's words name for its output; `nil` for a folder, which is created.
  func output(_ words: [String]) throws -> String?
  /// Returns the request of a report without a file of its own.
  func request(_ words: [String]) throws -> ReportRequest
  /// Returns the commands for a night of another store than the usual one, next to which saved views are.
  ///
  /// - Parameter store: As the configuration names it; `nil` if it does not.
  func reading(store: String?) -> Self
  func status(of error: any Error) -> ExitStatus
  func message(of error: any Error) -> String
}

/// Makes a report of a snapshot; the returned function writes it, after all reports of the night are made.
public typealias NightlyReportMaker = (StoreSnapshot) throws -> () throws -> Void
