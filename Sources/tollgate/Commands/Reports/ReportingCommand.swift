import ArgumentParser
import Basics
import Foundation
import Metrics
import Reports
import Store

protocol StoreReading: ParsableCommand {
  /// The request as far as a store made for it has to know it.
  func asked() throws -> ReportRequest
  func run(on path: String) throws
}

protocol ReportingCommand: StoreReading {
  var common: CommonOptions { get }
  var output: OutputArguments { get }
  /// The file or instant up to which events count as known; `nil` for all.
  var knownAt: String? { get }
  /// Warnings about options that are accepted but may be a mistake.
  var warnings: [String] { get }

  /// Changes how the report looks beyond what ``output`` says.
  func adjust(_ options: inout RenderOptions)
  /// Checks the arguments that need no store.
  func check() throws
  /// Makes the report as it is printed.
  func report(_ snapshot: StoreSnapshot) throws -> FinishedReport
  /// Returns the words of the command that prints the report as JSON, with every default that decides.
  ///
  /// - Parameter currency: The currency that the report has, if it has one.
  func words(_ snapshot: StoreSnapshot, currency: String?) throws -> [String]
}

extension ReportingCommand {
  var knownAt: String? { nil }
  var warnings: [String] { [] }

  func adjust(_ options: inout RenderOptions) {}

  func check() throws { _ = try asked() }

  func run() throws { try run(on: common.storePath) }

  /// The option for the point up to which events are known, with a file by its SHA-256.
  func knownAtWords(_ snapshot: StoreSnapshot) throws -> [String] {
    try knownAt.map { ["--known-at=\(try snapshot.exactly(knownAt: $0))"] } ?? []
  }

  func run(on path: String) throws {
    try check()
    for warning in warnings { LogFormat.warn(warning) }
    let started = ContinuousClock.now
    let store = try Store.open(readOnly: path)
    var receipt: Receipt?
    var report = try store.read(knownAt: knownAt, logger: common.logger) { snapshot in
      let report = try self.report(snapshot)
      if output.receipt != nil {
        let words = try words(snapshot, currency: report.parameter("currency"))
        receipt = try Receipt(of: words, on: store, snapshot, logger: common.logger)
      }
      return report
    }
    if let receipt { try output.write(receipt) }
    if let knownAt { report = report.noting(knownAt: knownAt) }
    common.logger.info("\(Self._commandName): \(report.rowCount) rows in \(ContinuousClock.now - started)")
    if output.format == .csv || output.format == .json {
      for warning in report.warnings { LogFormat.warn(warning) }
      if let limit = output.limit, output.sort == nil, limit < report.rowCount {
        LogFormat.warn(
          "these are the first \(limit) of \(report.rowCount) rows by name or day; --sort COLUMN:desc chooses the largest"
        )
      }
    }
    let isEmpty = report.rowCount == 0
    if let note = report.emptyNote { LogFormat.warn(note) }
    // Nothing is no table.
    if report.emptyNote == nil || output.format != .table || output.output != nil {
      try output.write(output.text(report, adjusting: adjust))
    }
    if isEmpty && output.failIfEmpty { throw ExitCode(ExitStatus.incomplete.rawValue) }
  }
}

/// A command whose report the registry has.
protocol RequestCommand: ReportingCommand {
  /// The request that the arguments stand for.
  ///
  /// - Throws: ``OptionError``, ``ReportError``, ``UsageError``.
  func request() throws -> ReportRequest
  /// Options that name files which the report reads, such as an experiment's plan.
  var fileWords: [String] { get }
  /// Runs `body`, naming the file that an error is about.
  func making<Result>(_ body: () throws -> Result) throws -> Result
}

extension RequestCommand {
  var warnings: [String] { (try? request().warnings) ?? [] }

  func asked() throws -> ReportRequest {
    var request = try request()
    request.sort = output.sort
    request.limit = output.limit
    request.isForPeople = output.format == .table || output.format == .markdown
    return request
  }

  var fileWords: [String] { [] }

  func making<Result>(_ body: () throws -> Result) throws -> Result { try body() }

  func words(_ snapshot: StoreSnapshot, currency: String?) throws -> [String] {
    let request = try request()
    let own = output.words + (try knownAtWords(snapshot)) + fileWords
    return request.kind.words(try request.spelledOut(snapshot, currency: currency), own: own)
  }

  func check() throws { try asked().checkExplained() }

  func report(_ snapshot: StoreSnapshot) throws -> FinishedReport {
    try making { try asked().printed(snapshot, columns: output.columns) }
  }
}
