import ArgumentParser
import Foundation
import Metrics
import Reports
import Store

/// Makes what was asked for of one snapshot.
typealias ReportMaker = (StoreSnapshot) throws -> FinishedReport

/// A command that comes to a report: it prints it, and the dashboard shows the same.
protocol ReportingCommand: ParsableCommand {
  var common: CommonOptions { get }
  var output: OutputArguments { get }
  /// The file or instant up to which events are taken for known; `nil` for all.
  var knownAt: String? { get }
  /// What may not be meant as it stands, a sentence each.
  var warnings: [String] { get }

  /// How the report is to look beyond what ``output`` says.
  func adjust(_ options: inout RenderOptions)
  /// Checks the arguments.
  func reporting() throws -> ReportMaker
  /// As ``reporting()``, with what a table that is printed has beyond that.
  func printing() throws -> ReportMaker
}

extension ReportingCommand {
  var knownAt: String? { nil }
  var warnings: [String] { [] }

  func adjust(_ options: inout RenderOptions) {}

  func printing() throws -> ReportMaker { try reporting() }

  func run() throws {
    let make = try printing()
    for warning in warnings { LogFormat.warn(warning) }
    let started = ContinuousClock.now
    let store = try Store.open(readOnly: common.storePath)
    let report = try store.report(knownAt: knownAt, logger: common.logger, make)
    common.logger.info("\(Self._commandName): \(report.rowCount) rows in \(ContinuousClock.now - started)")
    if output.format == .csv || output.format == .json {
      for warning in report.warnings { LogFormat.warn(warning) }
    }
    try output.write(report, adjusting: adjust)
  }
}

/// A report of events up to an as-of, or as it was known at one time.
protocol DatedReportCommand: ReportingCommand {
  var arguments: ReportArguments { get }
  /// Whether it has amounts that `--currency` can be of.
  static var hasAmounts: Bool { get }
}

extension DatedReportCommand {
  var knownAt: String? { arguments.knownAt }
  static var hasAmounts: Bool { false }

  var warnings: [String] {
    var warnings = arguments.warnings
    if let currency = arguments.currency?.code, !Self.hasAmounts {
      warnings.append("--currency is \(currency), and has no effect: \(Self._commandName) has no amounts of money")
    }
    return warnings
  }
}

/// A report whose cells persons add up to.
protocol CellReportCommand: DatedReportCommand, ExplainableCommand {
  static var cellReport: ExplainableReport { get }

  func options() throws -> ReportOptions
}

extension CellReportCommand {
  func reporting() throws -> ReportMaker {
    let options = try options()
    return { .tables([try Self.cellReport.report($0, options)]) }
  }
}

/// The command of a report whose cells persons add up to, with options of its own.
///
/// - Parameter others: What else may be named there.
/// - Throws: ``UsageError`` for another command.
func cellReport(_ words: [String], orElse others: [String] = []) throws -> any CellReportCommand {
  let known = ExplainableReport.allCases.map(\.rawValue)
  guard let name = words.first, known.contains(name) else {
    throw UsageError(
      "the report is \(words.first ?? "missing"), but must be one of \((known + others).joined(separator: ", ")), before its "
        + "options")
  }
  guard let command = try Tollgate.parseAsRoot(words) as? any CellReportCommand else {
    throw UsageError("\(name) makes no report of cells")
  }
  return command
}
