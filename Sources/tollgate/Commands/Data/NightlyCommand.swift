import ArgumentParser
import Basics
import EventModel
import Foundation
import Logging
import Metrics
import Nightly
import Reports

struct NightlyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightly", abstract: "Run the nightly job: ingest files, check them, write reports and keep a record.",
    discussion: """
      A YAML file configures the run. Paths are relative to its folder; all keys except sources are optional:

        store: analytics.db
        timezone: Europe/Berlin         # time zone of nights
        records: nightly                # folder of records, NIGHT.json
        sources:
          - files: [events/*.jsonl.zst, more/]
          - {files: webhooks/, source: revenuecat, app: steps,
             plans: {com.example.pro: yearly}}
          - {files: apple/, source: appstore, verify: true,
             root_certificate: AppleRootCA-G3.cer, bundle_ids: [com.example.app]}
          - {files: "warehouse-*.csv", app: steps, mapping: columns.yaml}
        expect:                         # files of a day, due "after" days later
          - {files: "events/*-{day}.jsonl.zst", count: 5, after: 1}
        thresholds:
          quarantine_share: 0.01        # share of the night's lines
          duplicate_share: 0.5          # share of the lines of a new file
          freshness_hours: {steps: 36}  # or one number for all apps
          sample_ratio_p: 0.001         # 0: no check
        experiments: {headline: headline.yaml}
        reports:
          - report --output site
          - funnel --by day,variant --format csv --output funnel.csv
        notify:                         # messages, to files and commands
          base_url: https://numbers.example.com
          digest:                       # numbers of the newest full week
            at: monday                  # or daily
            numbers:
              - {name: paid, report: funnel --app steps, column: paid_rate}
              - {name: viewers, report: view germany, column: users}
          alarms: {per_month: 1}        # false alarms to expect a month
          to:                           # text, markdown, html, slack or json
            - {format: slack, file: message.json, command: [./post.sh]}
        notes: notes.yaml               # notes on days, from `tollgate note`
        prometheus: /var/lib/prometheus/node-exporter/tollgate.prom
        check_store: true               # SQLite's own check before the reports
        prepare: true                   # caches every report, so it opens at once
        repeat: false                   # true: old findings set the status, too

      A new finding sets the status to 4. If every new finding is a file or folder that could not be read, or a file whose \
      lines were all rejected, the status is 3. A report that fails is a finding too: the others are still written, and the \
      status is the failing report's own (usually 2). A message whose command fails is a finding with status 4, and \
      the next run sends it again. Running the job again for a night gives the same findings and, without new files, \
      changes nothing. Two runs on one store cannot overlap: the second ends with status 5.

      --replay DAYS prints the alarms of the last DAYS nights before the newest event. Each night uses only the data up to \
      its end. Compare them with what you know: an alarm on a day when nothing happened may be false.
      """)

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("Configuration file (YAML).", valueName: "file"))
  var config: String

  @Option(
    help: ArgumentHelp("Day to run for (default: today, in the time zone of the file).", valueName: "day"),
    transform: { try calendarDay($0) })
  var night: CivilDate?

  @Flag(help: "Check the file and try its reports. Write only the message files; run no command.")
  var check = false

  @Option(
    help: ArgumentHelp(
      "Print the alarms of this many past nights (1 to 3660); write nothing.", valueName: "days"))
  var replay: Int?

  @OptionGroup var lock: LockArguments

  @Option(help: "Format of the record: table or json.")
  var format = ResultFormat.table

  mutating func validate() throws {
    guard let replay else { return }
    if !(1...3_660).contains(replay) {
      throw ValidationError("--replay is \(replay), but must be a number of nights from 1 to 3660")
    }
    if night != nil { throw ValidationError("--replay runs past nights: use --night or --replay, not both") }
    if check { throw ValidationError("use --check or --replay, not both") }
  }

  func run() throws {
    let url = URL(fileURLWithPath: config)
    guard let yaml = try? FileArgument.contents(of: config) else {
      throw UsageError("--config \(config): \(FileArgument.reason(against: config))")
    }
    // A store named on the command line is relative to the current folder.
    let ownStore = common.store.map { URL(fileURLWithPath: $0).path }
    let usualStore = URL(fileURLWithPath: common.storePath).path
    guard FileManager.default.changeCurrentDirectoryPath(url.deletingLastPathComponent().path) else {
      throw UsageError("--config \(config): its folder cannot be opened")
    }
    let commands = CommandLineCommands(ownStore: ownStore, usualStore: usualStore)
    let settings = try NightlyConfig(yaml: yaml, name: config, commands: commands)
    let storePath = commands.reading(store: settings.store).store
    let today = settings.today
    if let night, night.daysSince1970 > today.daysSince1970 + 1 {
      throw UsageError(
        "--night is \(night), but today is \(today): a night in the future would block the nights before it")
    }
    if check {
      let isThere = FileManager.default.fileExists(atPath: storePath)
      let files = isThere ? try settings.requireReports(of: storePath, night: night ?? today, commands) : []
      try settings.requireFiles()
      if !common.quiet {
        print(
          ReportMarkup.shown(
            "\(config): \(settings.summary), no errors" + (night.map { " for the night of \($0)" } ?? "")
              + (files.isEmpty ? "" : "; wrote \(files.joined(separator: ", "))")
              + (isThere ? "" : "; \(storePath) does not exist yet, so no report has been tried")))
      }
      return
    }
    if let replay {
      let replayed = try settings.replayedAlarms(of: storePath, nights: replay)
      switch format {
      case .table: print(replayed.text)
      case .json: FileHandle.standardOutput.write(try replayed.json)
      }
      return
    }
    // Text findings are printed anyway; JSON findings are logged even with --quiet.
    let night = NightlyRun(
      config: settings, date: night ?? today, storePath: storePath, lockTimeout: lock.lockTimeout,
      logger: common.logger, findingLevel: common.log.logFormat == .json ? .error : .info,
      commands: commands)
    let earlier = night.earlierRun()
    let record = try night.run()
    if let earlier, !common.quiet {
      LogFormat.warn("this night already ran, at \(earlier): only files that arrived since then are new")
    }
    switch format {
    // A night that failed or found something says so, even with --quiet; findings may be on the log already.
    case .table:
      let isFound = record.status != ExitStatus.done.rawValue && common.log.logFormat == .text
      if !common.quiet || isFound || record.status == ExitStatus.failure.rawValue { print(record.text) }
    case .json: FileHandle.standardOutput.write(try record.json)
    }
    if record.status != ExitStatus.done.rawValue { throw ExitCode(record.status) }
  }
}

/// The reports of this program, for a night.
private struct CommandLineCommands: NightlyCommands {
  /// The store of the command line.
  var ownStore: String?
  var usualStore: String
  private var configured: String?

  init(ownStore: String?, usualStore: String) { (self.ownStore, self.usualStore) = (ownStore, usualStore) }

  var store: String { ownStore ?? configured ?? usualStore }

  func reading(store: String?) -> Self {
    var commands = self
    commands.configured = store
    return commands
  }

  /// Views are next to the night's store.
  private func parse(_ words: [String]) throws -> any ParsableCommand {
    try CommandWords.parse(words.first == ViewCommand._commandName ? words + ["--store", store] : words)
  }

  func report(_ words: [String]) throws -> NightlyReportMaker {
    switch try parse(words) {
    case let command as ReportCommand:
      let make = try command.reporting()
      return { snapshot in
        let page = try make(snapshot)
        return { try command.write(page) }
      }
    case let command as any ReportingCommand:
      if command.output.output == nil { throw UsageError("it has no --output, but must say where the report goes") }
      try command.check()
      return { snapshot in
        let text = try command.output.text(command.report(snapshot), adjusting: command.adjust)
        return { try command.output.write(text) }
      }
    default: throw UsageError("it must be `report` or one of the reports")
    }
  }

  func output(_ words: [String]) throws -> String? { (try parse(words) as? any ReportingCommand)?.output.output }

  func request(_ words: [String]) throws -> ReportRequest {
    guard let command = try parse(words) as? any RequestCommand else {
      throw UsageError("it must be a report such as `funnel --app steps`")
    }
    return try command.request()
  }

  func status(of error: any Error) -> ExitStatus { Main.status(of: error) }

  func message(of error: any Error) -> String { Main.message(of: error) }
}
