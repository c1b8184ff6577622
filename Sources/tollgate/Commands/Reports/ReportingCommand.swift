import ArgumentParser
import Basics
import Foundation
import Metrics
import Reports
import Store

/// A command that reads a store.
protocol StoreReading: ParsableCommand {
  /// The request as far as a store made for it has to know it.
  func asked() throws -> ReportRequest
  /// Reads the store at a path.
  func run(on path: String) throws
}

/// Makes a report of one snapshot.
typealias ReportMaker = (StoreSnapshot) throws -> FinishedReport

/// A command that prints a report.
protocol ReportingCommand: StoreReading {
  var common: CommonOptions { get }
  var output: OutputArguments { get }
  /// The file or instant up to which events count as known; `nil` for all.
  var knownAt: String? { get }
  /// Sentences about what is accepted but may not be meant.
  var warnings: [String] { get }

  /// Changes how the report looks beyond what ``output`` says.
  func adjust(_ options: inout RenderOptions)
  /// Checks the arguments.
  func reporting() throws -> ReportMaker
  /// As ``reporting()``, with what a table that is printed has beyond that.
  func printing() throws -> ReportMaker
  /// Returns the words of the command that prints the report as JSON, with every default that decides.
  ///
  /// - Parameter currency: The currency that the report has, if it has one.
  func words(_ snapshot: StoreSnapshot, currency: String?) throws -> [String]
}

extension ReportingCommand {
  var knownAt: String? { nil }
  var warnings: [String] { [] }

  func adjust(_ options: inout RenderOptions) {}

  func printing() throws -> ReportMaker { try reporting() }

  func run() throws { try run(on: common.storePath) }

  /// The option for the point up to which events are known, with a file by its SHA-256.
  func knownAtWords(_ snapshot: StoreSnapshot) throws -> [String] {
    try knownAt.map { ["--known-at=\(try snapshot.exactly(knownAt: $0))"] } ?? []
  }

  func run(on path: String) throws {
    let make = try printing()
    for warning in warnings { LogFormat.warn(warning) }
    let started = ContinuousClock.now
    let store = try Store.open(readOnly: path)
    var receipt: Receipt?
    var report = try store.read(knownAt: knownAt, logger: common.logger) { snapshot in
      let report = try make(snapshot)
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
    let own = output.words + (try knownAtWords(snapshot))
    return request.kind.words(try request.spelledOut(snapshot, currency: currency), own: own)
  }

  func reporting() throws -> ReportMaker {
    let request = try asked()
    try request.checkExplained()
    return { snapshot in try making { try request.run(snapshot) } }
  }

  func printing() throws -> ReportMaker {
    let request = try asked()
    try request.checkExplained()
    return { snapshot in try making { try request.printed(snapshot, columns: output.columns) } }
  }
}
