import ArgumentParser
import Foundation
import Reports
import Store

/// Makes what was asked for of one snapshot.
typealias ReportMaker = (StoreSnapshot) throws -> FinishedReport

/// A command that comes to a report: it prints it, and the dashboard shows the same.
protocol ReportingCommand: ParsableCommand {
  var common: CommonOptions { get }
  var output: OutputArguments { get }

  /// Checks the arguments.
  func reporting() throws -> ReportMaker
}

extension ReportingCommand {
  func run() throws {
    let make = try reporting()
    let started = ContinuousClock.now
    let store = try Store.open(readOnly: common.storePath)
    let report = try store.read(make)
    common.logger.info("\(Self._commandName): \(report.rowCount) rows in \(ContinuousClock.now - started)")
    try output.write(report)
  }
}
