public import Metrics
public import Reports
public import Store

/// Makes the reports that the dashboard shows.
public protocol ReportSource: Sendable {
  /// - Parameters:
  ///   - format: The format that the answer is for; people's tables have more than CSV.
  ///   - deadline: When the request is given up.
  /// - Throws: ``ReportFault``.
  func answer(
    _ request: ReportRequest, as format: ReportFormat, deadline: ContinuousClock.Instant
  ) throws(ReportFault) -> ReportAnswer

  /// Which content answers are of, at no cost to speak of.
  func version() throws -> StoreVersion
}

/// A finished report and how it was asked to look.
public struct ReportAnswer: Sendable {
  public var report: FinishedReport
  public var format: ReportFormat
  public var options: RenderOptions

  public init(report: FinishedReport, format: ReportFormat, options: RenderOptions) {
    self.report = report
    self.format = format
    self.options = options
  }

  /// The bytes that the command line prints.
  func text() throws(ReportFault) -> String {
    do {
      return try report.text(as: format, options: options)
    } catch {
      throw ReportFault(.wrongArguments, "\(error)")
    }
  }

  /// Rows that the answer has.
  var rowCount: Int { min(report.rowCount, options.limit ?? .max) }
}

/// Why there is no report.
public struct ReportFault: Error {
  public enum Kind: Sendable {
    /// The request has wrong arguments.
    case wrongArguments
    /// There is no such page, user or experiment.
    case notFound
    /// It would have taken longer than a request may.
    case tooSlow
    /// The store cannot be read now.
    case storeUnavailable
    case unexpected
  }

  public var kind: Kind
  public var message: String

  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
