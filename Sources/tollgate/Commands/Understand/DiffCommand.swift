import ArgumentParser
import Basics
import Foundation
import Logging
import Metrics
import Reports
import Store

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Show which numbers of a report changed, and why.",
    discussion: """
      REPORT is one of \(ReportKind.explained.map(\.name).joined(separator: ", ")), followed by its own options. The \
      earlier report uses the same options unless you change them:

        tollgate diff trials --before-as-of 2026-03-01 --as-of 2026-03-08
        tollgate diff revenue --by month --before-known-at 2026-03-01.jsonl.zst
        tollgate diff funnel --before-store yesterday.db --store today.db

      Each row is a number that changed; the causes add up to the change.
      """)

  @Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("Report, with its own options.", valueName: "report"))
  var words: [String]

  @Option(
    help: ArgumentHelp("Compare with the report at this instant.", valueName: "instant"),
    transform: { try InstantArgument(option: $0) })
  var beforeAsOf: InstantArgument?

  @Option(
    help: ArgumentHelp(
      "Compare with the report as known after this file, or before this instant.", valueName: "file|instant"))
  var beforeKnownAt: String?

  @Option(help: ArgumentHelp("Compare with the report from this store.", valueName: "path"))
  var beforeStore: String?

  @Option(
    help: ArgumentHelp("Show only this number (repeatable; default: all except interval bounds).", valueName: "name"))
  var column: [String] = []

  @OptionGroup var common: CommonOptions

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    if output.receipt != nil {
      throw ValidationError("diff does not write a receipt: use --receipt with each of the two reports")
    }
    if beforeAsOf == nil && beforeKnownAt == nil && beforeStore == nil {
      throw ValidationError(
        "give what to compare with: --before-as-of, --before-known-at or --before-store")
    }
  }

  func run() throws {
    let command = try CommandWords.request(
      words, among: ReportKind.all.filter { $0.hasDrivers || ReportKind.explained.contains($0) })
    let request = try command.request()
    if request.showsPairs { throw UsageError("--pairs compares rows with each other: leave it out") }
    if request.options.backtest != nil {
      throw UsageError("--backtest compares forecasts with what came: leave it out")
    }
    if request.given.contains(where: { $0.option == "as-of" && $0.texts.contains { $0.contains("=") } }) {
      throw UsageError("--as-of of single apps does not work with diff: give one instant, with --app")
    }
    if request.comparison != nil { throw UsageError("--compare and diff both compare: leave out --compare") }
    let started = ContinuousClock.now
    let after = try KnownStore(path: common.storePath, knownAt: command.knownAt, logger: common.logger)
    var report: Report
    if beforeStore == nil && beforeKnownAt == nil {
      report = try after.store.read { try compared(request, $0, $0) }
    } else {
      let before = try KnownStore(
        path: beforeStore ?? common.storePath, knownAt: beforeKnownAt, logger: common.logger)
      report = try before.store.read { old in try after.store.read { try compared(request, old, $0) } }
    }
    let sides = [
      ("before_store", beforeStore), ("before_known_at", beforeKnownAt), ("known_at", command.knownAt),
    ]
    report.parameters += sides.compactMap { side in side.1.map { Report.Parameter(name: side.0, value: $0) } }
    common.logger.info("diff: \(report.rows.count) rows in \(ContinuousClock.now - started)")
    try output.write(output.text(.tables([report])))
  }

  private func compared(_ request: ReportRequest, _ old: StoreSnapshot, _ new: StoreSnapshot) throws -> Report {
    let options = try request.resolved(new).options
    var earlier = options
    if let beforeAsOf {
      if let asOf = options.asOf, beforeAsOf.milliseconds > asOf {
        throw UsageError("--before-as-of is later than --as-of: the earlier report comes first; swap them")
      }
      let newest = try options.asOf == nil ? new.apps().compactMap(\.newestAsOf).max() : nil
      // The day after the last one is a way to say all.
      if let newest, beforeAsOf.milliseconds > newest + 86_400_000 {
        throw UsageError("--before-as-of is later than the newest event: give a day that the data have")
      }
      earlier.asOf = beforeAsOf.milliseconds
    }
    return Report(
      try Differences(
        request.kind, from: Differences.Side(old, earlier), to: Differences.Side(new, options), columns: column))
  }
}

/// A store as it is, or as it was known at one time.
private struct KnownStore {
  var store: Store
  /// Gone with it.
  private var partial: HistoricalStore?

  init(path: String, knownAt: String?, logger: Logger) throws {
    let store = try Store.open(readOnly: path)
    partial = try knownAt.map { try store.known(at: $0, logger: logger) }
    self.store = partial?.store ?? store
  }
}
