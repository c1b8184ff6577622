import ArgumentParser
import Basics
import EventModel
import Foundation
import Ingest
import Metrics
import Store

struct IngestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ingest", abstract: "Load event files into a store.",
    discussion: """
      Reads NDJSON, JSON lists, CSV and Parquet, plain or compressed with zstd, gzip or zip, and finds the format \
      from the content. Skips files it has read before, whatever their names. Invalid lines are rejected and kept in \
      quarantine.

      Recognizes the files of these services by their content:

      \(services)

      Files marked * do not name the app: add --app. Event types that tollgate does not use are rejected with the reason \
      "not mapped".

      For any other file, `tollgate init FILE` proposes a mapping.

        tollgate ingest --app steps --verify webhooks/
        tollgate ingest --dry-run --mapping mixpanel.yaml export.jsonl.gz
      """)

  private static var services: String {
    EventSource.allCases.filter { !$0.files.isEmpty }.map { source in
      "  " + source.rawValue.padding(toLength: 18, withPad: " ", startingAt: 0) + source.files
    }.joined(separator: "\n")
  }

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp("Files, folders (read recursively) or - for standard input.", valueName: "path"),
    completion: .file())
  var paths: [String]

  @OptionGroup(title: "Sources")
  var sources: SourceArguments

  @Flag(help: "Store nothing; print the first event of each kind and the counts.")
  var dryRun = false

  @Flag(help: "End with status 3 if a line was rejected.")
  var strict = false

  @Flag(help: "After ingesting, precompute slow reports. They stay ready until the next ingest.")
  var prepare = false

  @OptionGroup var lock: LockArguments

  @Option(
    help: ArgumentHelp(
      "Commit after at least this many events, at the end of a file (default: 8,000,000; for the first commit of a new store, "
        + "64,000,000). A lower number loses less work in a crash, but is slower.",
      valueName: "events"))
  var commitEvery: Int?

  @Option(help: "Format of the summary: table or json.")
  var format = ResultFormat.table

  mutating func validate() throws {
    if paths.isEmpty { throw ValidationError("no path given; name files, folders or - for standard input") }
    if let commitEvery { try require("--commit-every", commitEvery, in: 1...1_000_000_000) }
  }

  func run() throws {
    let started = ContinuousClock.now
    var unlisted: [IngestSummary.Failure] = []
    let found = try InputFile.discover(paths) {
      unlisted.append(IngestSummary.Failure(path: $0.path, reason: $0.reason))
    }
    let inputs = InputFile.inReadingOrder(found)
    if inputs.isEmpty && unlisted.isEmpty {
      LogFormat.warn("\(paths.joined(separator: ", ")): there is no file to read")
    }
    var settings = try sources.settings()
    settings.paths = settings.mapping.map { PathTally($0) }
    if dryRun { return try preview(inputs, settings, unlisted) }
    common.logger.info("found \(inputs.count) inputs for \(common.storePath)")
    let store = try Store.openOrStart(path: common.storePath, lockTimeout: lock.lockTimeout)
    var bar = common.quiet || isatty(STDERR_FILENO) == 0 ? nil : ProgressBar()
    let ingestion = Ingestion(store: store, lockTimeout: lock.lockTimeout, commitEvents: commitEvery, sources: settings)
    var summary = try ingestion.run(inputs) { reader, events in
      common.logger.debug("\(reader.progress.bytesRead) bytes and \(events) events read")
      bar?.show(done: reader.progress.bytesRead, of: reader.progress.bytesTotal, events: events)
    }
    bar?.clear()
    summary.failures += unlisted
    try ReportCache.fill(store, with: prepare ? .all : .quick)
    let seconds = (ContinuousClock.now - started) / .seconds(1)
    for failure in summary.failures {
      LogFormat.warn("\(failure.path): nothing ingested: \(failure.reason)")
    }
    warnOfEmpty(summary.emptyFiles)
    if !sources.plan.isEmpty && summary.sources == [EventSource.native.rawValue] {
      LogFormat.warn("--plan has no effect: the files are in tollgate's own format, where each event names its plan")
    }
    if !common.quiet { summary.explain(mapping: settings.mapping?.file, store: common.storeWords) }
    if let warning = summary.rejectionWarning {
      LogFormat.warn("\(warning); next: `tollgate quarantine list\(common.storeWords)`")
    }
    if summary.quarantinedLines > 0 {
      let rejected = try store.read { try Health.rejectedKinds($0) }
      for sentence in Health.sentences(of: rejected) { LogFormat.warn(sentence) }
    }
    for sentence in try store.read({ try Health.datesAhead($0) }) where summary.events > 0 { LogFormat.warn(sentence) }
    warn(ofPathsIn: settings)
    switch format {
    case .table: if !common.quiet { printText(summary, seconds: seconds) }
    case .json: printJSON(summary, seconds: seconds)
    }
    try endIfIncomplete(summary)
  }

  private func endIfIncomplete(_ summary: IngestSummary) throws {
    if !summary.failures.isEmpty || summary.isBarren || (strict && summary.quarantinedLines > 0) {
      throw ExitCode(ExitStatus.incomplete.rawValue)
    }
  }

  private func warnOfEmpty(_ paths: [String]) {
    let most = 10
    for path in paths.prefix(most) { LogFormat.warn("\(path): read, but there is no event or payload in it") }
    guard paths.count > most else { return }
    LogFormat.warn("\(grouped(paths.count - most)) more files have no event or payload in them")
  }

  private func warn(ofPathsIn settings: SourceSettings) {
    for line in settings.paths?.misspelt ?? [] {
      LogFormat.warn("\(settings.mapping?.file ?? ""): \(line)", behind: "")
    }
  }

  private func preview(
    _ inputs: [InputFile], _ settings: SourceSettings, _ unlisted: [IngestSummary.Failure]
  ) throws {
    var preview = try IngestPreview(inputs, settings, storePath: common.storePath)
    preview.summary.failures += unlisted
    warnOfEmpty(preview.summary.emptyFiles)
    switch format {
    case .table: preview.printText()
    case .json: preview.printJSON()
    }
    warn(ofPathsIn: settings)
    try endIfIncomplete(preview.summary)
  }

  private func printText(_ summary: IngestSummary, seconds: Double) {
    let rate = seconds > 0 ? Double(summary.events + summary.duplicates) / seconds : 0
    print(
      "\(counted(summary.files, "file")) (\(grouped(summary.filesSkipped)) skipped, "
        + "\(grouped(summary.failures.count)) failed), \(counted(summary.events, "event")), "
        + "\(counted(summary.duplicates, "duplicate")), \(grouped(summary.quarantinedLines)) rejected, "
        + (summary.ignored > 0 ? "\(counted(summary.ignored, "record")) without an event, " : "")
        + (summary.joins > 0 ? "\(counted(summary.joins, "pair")) of ids joined, " : "")
        + String(format: "%.1f s", seconds) + (rate >= 1 ? " (\(grouped(Int(rate))) events/s)" : ""))
    if summary.reported > 0 {
      print("\(counted(summary.reported, "count")) from App Store Connect reports; see `tollgate reconcile`")
    }
    guard summary.quarantinedLines > 0 else { return }
    let reasons = IngestPreview.sorted(summary.quarantined).map { "\($0.key) \(grouped($0.value))" }
    LogFormat.warn(
      "rejected: \(reasons.joined(separator: ", ")); see `tollgate quarantine list\(common.storeWords)`", behind: "")
  }

  private func printJSON(_ summary: IngestSummary, seconds: Double) {
    var output = IngestOutput(summary)
    (output.filesSkipped, output.filesEmpty) = (summary.filesSkipped, summary.emptyFiles.count)
    (output.joins, output.seconds) = (summary.joins, seconds)
    output.printed()
  }
}
