internal import Basics
internal import Crypto
public import EventModel
internal import Foundation
internal import Ingest
public import Logging
internal import Metrics
internal import Reports
internal import Store

/// One night: ingests files, runs checks, writes reports, and records it all.
public struct NightlyRun {
  let config: NightlyConfig
  let date: CivilDate
  let storePath: String
  let lockTimeout: Double
  let logger: Logger
  /// The level that findings are logged at.
  let findingLevel: Logger.Level
  let commands: any NightlyCommands

  public init(
    config: NightlyConfig, date: CivilDate, storePath: String, lockTimeout: Double, logger: Logger,
    findingLevel: Logger.Level, commands: any NightlyCommands
  ) {
    (self.config, self.date, self.storePath, self.lockTimeout) = (config, date, storePath, lockTimeout)
    (self.logger, self.findingLevel, self.commands) = (logger, findingLevel, commands)
  }

  private var records: NightlyRecords { NightlyRecords(folder: config.records) }

  /// The first instant of the day in the configured time zone, in ms.
  private var start: Int64 {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = config.timeZone
    let parts = DateComponents(year: date.year, month: date.month, day: date.day)
    return Int64((calendar.date(from: parts) ?? .distantPast).timeIntervalSince1970 * 1000)
  }

  /// Returns when an earlier run of this night began that ended; `nil` if there is none.
  public func earlierRun() -> String? {
    guard let known = try? records.record(of: date), known.error == nil else { return nil }
    return known.startedAt
  }

  /// Runs the night.
  ///
  /// - Returns: The record, which is also written if the night does not finish.
  public func run() throws -> NightlyRecord {
    let lock = try NightlyLock(store: storePath)
    defer { withExtendedLifetime(lock) {} }
    let later = records.nights.filter { $0 > date }
    if let newest = later.last {
      // With whole paths: the folder of the file is not the reader's.
      let moves = later.map { night in
        let path = URL(fileURLWithPath: records.path(of: night)).path
        return "mv \(path.shellWord) \("\(path).old".shellWord)"
      }
      throw UsageError(
        "--night is \(date), but the later night of \(newest) has already run. Run nights in order; if the later ones were a "
          + "mistake, move their records away and run this night again:\n  \(moves.joined(separator: "\n  "))")
    }
    let clock = ContinuousClock.now
    var record = NightlyRecord(night: date, config: config, store: storePath)
    record.startedAt = Date.now.formatted(.iso8601)
    let previous = try records.last(before: date)
    do {
      if config.checksStore { try Store.requireWholeSeal(of: storePath) }
      let store = try Store.open(path: storePath, lockTimeout: lockTimeout)
      let manifest = try store.read { try $0.manifest() }
      record.filesBefore = try filesBefore(previous, manifest)
      try keepBeginning(of: record, manifest)
      try work(&record, previous, store)
    } catch {
      record.status = commands.status(of: error).rawValue
      record.error = commands.message(of: error)
      record.filesThrough = record.filesBefore
      record.seconds = seconds(since: clock)
      if let notify = config.notify {
        let line = Message.Line("The night stopped: \(record.error ?? "")")
        var unsaid: [(subject: String, error: any Error)] = []
        tell(
          Message(subject: "\(date): the night stopped", sections: [Message.Section("Data", [line])]), notify, previous,
          &record, &unsaid)
      }
      try? writePrometheus((try? records.keep(record, of: date)) ?? record)
      throw error
    }
    record.seconds = seconds(since: clock)
    let kept = try records.keep(record, of: date)
    do {
      try writePrometheus(kept)
      return kept
    } catch {
      fail(&record, "prometheus", error)
      return try records.keep(record, of: date)
    }
  }

  /// Records which files were in the store before the night, because a night that is killed after reading cannot tell
  /// any more.
  private func keepBeginning(of record: NightlyRecord, _ manifest: [StoreSnapshot.ManifestFile]) throws {
    if let known = try records.record(of: date), known.filesBefore == record.filesBefore { return }
    var begun = record
    begun.end(through: record.filesBefore, manifest)
    begun.status = ExitStatus.failure.rawValue
    begun.error = "the night has started and not ended; if it is no longer running, run it again"
    _ = try records.keep(begun, of: date)
  }

  /// Returns the last file of the store before this night. Until a night has finished, the first record knows the last
  /// file before all of them.
  private func filesBefore(
    _ previous: NightlyRecord?, _ manifest: [StoreSnapshot.ManifestFile]
  ) throws -> Int64 {
    if let previous {
      if previous.filesThroughSha256 == nil || previous.isOf(manifest) { return previous.filesThrough }
      // After a restore or a rebuild, the store's file numbers differ from those in the record.
      if let tonight = try records.record(of: date), tonight.filesThrough == 0 || tonight.isOf(manifest) {
        return tonight.filesBefore
      }
      logger.warning(
        "\(storePath): is not the store that the night of \(previous.night) left; everything read now counts as new"
      )
      return manifest.last?.id ?? 0
    }
    if let first = records.nights.first, let record = try records.record(of: first) { return record.filesBefore }
    return manifest.last?.id ?? 0
  }

  /// Records a failure and continues, because it does not affect the other results.
  private func fail(_ record: inout NightlyRecord, _ subject: String, _ error: any Error) {
    let failure = error as? MessageDelivery.Failure
    let finding = finding(subject, error)
    record.findings.append(finding)
    // The night exits with the status of its first failure.
    let ofFindings: [ExitStatus] = [.done, .incomplete, .threshold]
    if ofFindings.contains(where: { $0.rawValue == record.status }) {
      record.status = (failure == nil ? commands.status(of: error) : .threshold).rawValue
    }
    log(finding)
  }

  private func finding(_ subject: String, _ error: any Error) -> NightlyFinding {
    // A recipient's command is not of this program.
    let failure = error as? MessageDelivery.Failure
    let message = failure.map { "\($0.program): \($0.reason)" } ?? commands.message(of: error)
    return NightlyFinding(check: .output, subject: subject, message: "\(subject): \(message)")
  }

  private func log(_ finding: NightlyFinding) {
    logger.log(
      level: findingLevel, "\(finding.message)",
      metadata: ["check": "\(finding.check.rawValue)", "night": "\(date)"])
  }

  private func seconds(since start: ContinuousClock.Instant) -> Double {
    ((ContinuousClock.now - start) / .milliseconds(1)).rounded() / 1000
  }

  private func work(_ record: inout NightlyRecord, _ previous: NightlyRecord?, _ store: Store) throws {
    var found: [InputFile] = []
    var findings: [NightlyFinding] = []
    for source in config.sources {
      let (files, unlisted) = try inputs(of: source)
      findings += unlisted.map {
        NightlyFinding(check: .failed, subject: $0.path, message: "\($0.path): nothing ingested: \($0.reason)")
      }
      if files.isEmpty && unlisted.isEmpty {
        let names = source.files.map(\.text).joined(separator: ", ")
        findings.append(NightlyFinding(check: .empty, subject: names, message: "\(names): no such file"))
      }
      found += files
      let ingestion = Ingestion(store: store, lockTimeout: lockTimeout, sources: try source.settings.settings())
      let summary = try ingestion.run(InputFile.inReadingOrder(files))
      logger.info(
        "read",
        metadata: [
          "files": "\(summary.files)", "skipped": "\(summary.filesSkipped)", "failed": "\(summary.failures.count)",
          "empty": "\(summary.emptyFiles.count)", "events": "\(summary.events)",
        ])
    }
    try ReportCache.fill(store, with: config.preparesReports ? .all : .quick)
    let reading = try Store.open(readOnly: storePath)
    if config.checksStore, let problem = try reading.read({ try $0.integrityProblems() }).first {
      throw StoreError.damaged(path: storePath, reason: problem)
    }
    var failed: [(subject: String, error: any Error)] = []
    func attempt<Made>(_ subject: String, _ make: () throws -> Made) -> Made? {
      do {
        return try make()
      } catch {
        failed.append((subject, error))
        return nil
      }
    }
    if let error = config.notesFailure { failed.append(("notes", error)) }
    var message: Message?
    let finished = try reading.read { snapshot in
      let arrivals = ArrivalChecks(
        config: config, night: date, previous: previous, filesBefore: record.filesBefore,
        manifest: try snapshot.manifest(), store: storePath, found: found)
      let files = arrivals.filesOfNight
      let reasons = try snapshot.quarantined(behind: record.filesBefore)
      let copies = arrivals.copies()
      let failures = arrivals.failures()
      findings += arrivals.missing() + arrivals.late() + arrivals.duplicates(copies) + arrivals.empty(copies)
      findings += arrivals.failed(failures) + arrivals.quarantine(reasons)
      let apps = try snapshot.apps()
      let data = DataChecks(config: config, start: start)
      findings += data.newApps(apps, after: previous)
      let readouts = try data.readouts(snapshot)
      let decisions = DecisionChecks(
        reports: readouts, previous: previous?.decisions, hasSampleRatios: config.thresholds.sampleRatioP != nil)
      findings += data.freshness(apps) + data.sampleRatios(readouts) + (try decisions.findings())
      record.decisions = decisions.decisions
      record.missing = arrivals.stillMissing(findings)
      var notify = config.notify
      notify?.notes += ArrivalChecks.notes(ofMissing: record.missing)
      var alarms: NightAlarms?
      if let notify, let watched = notify.alarms {
        (record.watched, record.alarms) = (previous?.watched ?? [:], previous?.alarms ?? [])
        alarms = attempt("notify") {
          try NightAlarms(
            watched, snapshot, tested: previous?.watched ?? [:], current: previous?.alarms ?? [],
            notes: notify.notes)
        }
        if let alarms {
          (record.watched, record.alarms) = (alarms.tested, alarms.current)
          findings += alarms.findings
        }
      }
      record.files = files.count
      record.filesFailed = failures.count
      record.lines = files.reduce(0) { $0 + $1.lines }
      record.events = files.reduce(0) { $0 + $1.events }
      record.duplicates = files.reduce(0) { $0 + $1.duplicates }
      record.quarantined = reasons
      for app in apps { record.asOf[app.name] = app.newestAsOf.map { "\(Instant(millisecondsSince1970: $0))" } }
      record.findings = marked(findings, previous)
      record.end(through: files.last?.id ?? record.filesBefore, arrivals.manifest)
      record.knownDuplicates = copies.map(\.path)
      record.knownFailures = failures.map(ArrivalChecks.key)
      let finished = config.reports.compactMap { entry in
        attempt(entry.text) { (text: entry.text, write: try entry.finish(snapshot)) }
      }
      if let notify {
        let night = NightMessage(config: notify, night: date)
        var numbers: [(subject: String, error: any Error)] = []
        message =
          attempt("notify") {
            try night.message(
              snapshot, alarms: alarms, findings: record.findings + failed.map { finding($0.subject, $0.error) }
            ) { numbers.append(("notify: \($0)", $1)) }
          } ?? nil
        failed += numbers
      }
      return finished
    }
    for report in finished where attempt(report.text, report.write) != nil { record.reports.append(report.text) }
    if let notify = config.notify { tell(message, notify, previous, &record, &failed) }
    if config.checksStore {
      do {
        try store.seal(lockTimeout: 1)
      } catch StoreError.locked {
        logger.notice("the store is not sealed, because another process is reading it")
      } catch {
        failed.append(("check_store", error))
      }
    }
    for finding in record.findings.joiningDays where finding.isNew { log(finding) }
    record.status = status(record.findings, missing: record.missing).rawValue
    for (subject, error) in failed { fail(&record, subject, error) }
  }

  /// Writes a message's files and sends it, unless an earlier run of the night has, after those that are still to be sent.
  ///
  /// - Parameter message: `nil` if the night has nothing to tell.
  private func tell(
    _ message: Message?, _ notify: NotifyConfig, _ previous: NightlyRecord?, _ record: inout NightlyRecord,
    _ failed: inout [(subject: String, error: any Error)]
  ) {
    let known = try? records.record(of: date)
    let hash = message.map { Array(SHA256.hash(data: Data($0.text(as: .json).utf8))).hexadecimal }
    let isSent = hash != nil && known?.sent == hash
    record.sent = hash ?? known?.sent
    // A message that has changed since takes the place of the former one.
    let waiting = (known?.unsent ?? previous?.unsent ?? []).filter { $0.night != record.night || hash == nil || isSent }
    var unsent: [UnsentMessage] = []
    for recipient in notify.recipients {
      let delivery = MessageDelivery(recipient: recipient)
      let text = message?.text(as: recipient.format)
      var next = waiting.filter { $0.file == recipient.file }
      if let text, !isSent { next.append(UnsentMessage(night: record.night, file: recipient.file, text: text)) }
      do {
        while let first = next.first {
          try delivery.write(first.text)
          try delivery.send()
          next.removeFirst()
        }
      } catch {
        failed.append(("notify", error))
      }
      // Whatever was sent, the file ends as the newest message.
      if let text, isSent || next.count > 1 {
        do { try delivery.write(text) } catch { failed.append(("notify", error)) }
      }
      unsent += next
    }
    record.unsent = waiting.isEmpty && unsent.isEmpty ? nil : unsent
  }

  private func inputs(of source: NightlyConfig.Source) throws -> (files: [InputFile], unlisted: [InputError]) {
    var seen = Set<[UInt8]>()
    var files: [InputFile] = []
    var unlisted: [InputError] = []
    for pattern in source.files {
      for path in pattern.hasWildcard ? pattern.paths() : [pattern.text] {
        let found = try InputFile.discover([path]) { unlisted.append($0) }
        files += found.filter { seen.insert($0.pathBytes).inserted }
      }
    }
    return (files, unlisted)
  }

  /// Marks findings of the previous night as not new.
  private func marked(_ findings: [NightlyFinding], _ previous: NightlyRecord?) -> [NightlyFinding] {
    let standing = Set(
      (previous?.findings ?? []).map { "\($0.check.rawValue) \($0.subject)" }
        + (previous?.knownFailures ?? []).map { "\(NightlyFinding.Check.failed.rawValue) \($0)" })
    return findings.map { finding in
      var finding = finding
      // Quarantined lines belong to this night alone.
      finding.isNew = finding.check == .quarantine || !standing.contains("\(finding.check.rawValue) \(finding.subject)")
      return finding
    }
  }

  private func status(_ findings: [NightlyFinding], missing: [String]) -> ExitStatus {
    let loud = findings.filter { $0.isNew || config.repeats }
    if loud.contains(where: { $0.check != .failed }) || config.repeats && !missing.isEmpty { return .threshold }
    return loud.isEmpty ? .done : .incomplete
  }

  private func writePrometheus(_ record: NightlyRecord) throws {
    guard let path = config.prometheus else { return }
    do {
      try Data(NightlyMetrics(record: record).text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
      // The collector runs as another user.
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    } catch {
      throw UsageError("\(path): cannot be written: \(error.localizedDescription)")
    }
  }
}
