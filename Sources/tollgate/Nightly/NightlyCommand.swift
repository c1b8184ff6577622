import ArgumentParser
import EventModel
import Foundation
import Reports
import Store

struct NightlyCommand: ParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table
    case json
  }

  static let configuration = CommandConfiguration(
    commandName: "nightly", abstract: "One night: reads files, checks what came, writes reports, keeps a record.",
    discussion: """
      The file says what (paths are relative to its folder; all keys but sources can be left out):

        store: analytics.db
        timezone: Europe/Berlin         # of the nights
        records: nightly                # folder of the records, NIGHT.json
        sources:
          - files: [events/*.jsonl.zst, more/]
          - {files: webhooks/, source: revenuecat, app: steps, plans: {com.example.pro: yearly}}
          - {files: apple/, source: appstore, verify: true, root_certificate: AppleRootCA-G3.cer,
             bundle_ids: [com.example.app]}
          - {files: "warehouse-*.csv", app: steps, mapping: columns.yaml}
        expect:                         # count files of each day, so many days after it
          - {files: "events/*-{day}.jsonl.zst", count: 5, after: 1}
        thresholds:
          quarantine_share: 0.01        # of the night's lines
          duplicate_share: 0.5          # of the lines of a new file
          freshness_hours: {steps: 36}  # or one number for all apps
          sample_ratio_p: 0.001         # 0: no check
          metrics:
            - {name: paid, report: funnel --app steps --by none, column: paid_rate, days: 7, baseline: 28,
               lag: 12, moved: 0.01, confidence: 0.999}
        experiments: {headline: headline.yaml}
        reports:
          - report --output site
          - funnel --by day,variant --format csv --output funnel.csv
        prometheus: /var/lib/prometheus/node-exporter/tollgate.prom
        check_store: true               # SQLite's own check before the reports
        prepare: true                   # makes every report without options, for who asks in the morning
        repeat: false                   # true: what stands since an earlier night sets the status, too

      Each finding sets the status of the night that finds it first: 4, or 3 where there are only files of which nothing \
      could be taken. A report that cannot be made or written is a finding, too, costs no other, and makes the status the \
      one that it would have by itself (2, as a rule). A night that is run again finds the same, and changes nothing. Two nights of one store cannot \
      overlap: the second ends with 5 at once.
      """)

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("What the night does (YAML).", valueName: "file"))
  var config: String

  @Option(help: ArgumentHelp("The day of the night (default: today in the zone of the file).", valueName: "day"))
  var night: CivilDate?

  @Flag(help: "Check the file, make its reports of the store if that is there without writing any, and stop.")
  var check = false

  @OptionGroup var lock: LockArguments

  @Option(help: "How to print the record: table or json.")
  var format: Format = .table

  func run() throws {
    let url = URL(fileURLWithPath: config)
    guard let yaml = try? FileArgument.contents(of: config) else {
      throw UsageError("--config \(config): cannot be read: no such file, or no right to")
    }
    // A store named on the command line is relative to the current folder.
    let ownStore = common.store.map { URL(fileURLWithPath: $0).path }
    let usualStore = URL(fileURLWithPath: common.storePath).path
    guard FileManager.default.changeCurrentDirectoryPath(url.deletingLastPathComponent().path) else {
      throw UsageError("--config \(config): its folder cannot be entered")
    }
    let settings = try NightlyConfig(yaml: yaml, name: config)
    let storePath = ownStore ?? settings.store ?? usualStore
    let today = Self.today(in: settings.timeZone)
    if check {
      let isThere = FileManager.default.fileExists(atPath: storePath)
      if isThere { try Self.requireReports(settings, storePath, today) }
      if !common.quiet {
        print(
          "\(config): \(settings.sources.count) sources, \(settings.reports.count) reports, sound"
            + (isThere ? "" : "; \(storePath) is not there, and no report has been tried"))
      }
      return
    }
    if let night, night.daysSince1970 > today.daysSince1970 + 1 {
      throw UsageError("--night is \(night), but today is \(today): the nights up to then could not be run any more")
    }
    let night = NightlyRun(
      config: settings, date: night ?? today, storePath: storePath, lockTimeout: lock.lockTimeout,
      logger: common.logger, logFormat: common.log.logFormat)
    let record = try night.run()
    switch format {
    case .table: if !common.quiet { print(Self.text(record)) }
    case .json: FileHandle.standardOutput.write(try record.json)
    }
    if record.status != ExitStatus.done.rawValue { throw ExitCode(record.status) }
  }

  /// Makes every report and every threshold's table without writing them.
  private static func requireReports(_ config: NightlyConfig, _ storePath: String, _ night: CivilDate) throws {
    try Store.open(readOnly: storePath).read { snapshot in
      for threshold in config.thresholds.metrics {
        try MetricCheck(threshold: threshold, night: night).requireColumn(snapshot)
      }
      for entry in config.reports {
        do {
          _ = try NightlyRun.finish(entry, snapshot)
        } catch {
          throw UsageError("reports: \(entry.text): \(Main.message(of: error))")
        }
      }
    }
  }

  private static func today(in zone: TimeZone) -> CivilDate {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let parts = calendar.dateComponents([.year, .month, .day], from: .now)
    return CivilDate(year: parts.year ?? 1970, month: parts.month ?? 1, day: parts.day ?? 1)
  }

  private static func text(_ record: NightlyRecord) -> String {
    let quarantined = record.quarantined.values.reduce(0, +)
    var lines = [
      "\(record.night): \(grouped(record.files)) new files, \(grouped(record.events)) events, "
        + "\(grouped(record.duplicates)) duplicates, \(grouped(quarantined)) quarantined; status \(record.status)"
    ]
    for finding in record.findings {
      lines.append("\(finding.isNew ? "new     " : "standing") \(finding.check.rawValue): \(finding.message)")
    }
    let old = record.missing.filter { subject in !record.findings.contains { $0.subject == subject } }
    for subject in old { lines.append("standing missing: \(subject)") }
    return lines.map { ReportMarkup.shown($0) }.joined(separator: "\n")
  }
}
