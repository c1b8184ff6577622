internal import Basics
public import EventModel
internal import Foundation
internal import Ingest
internal import Metrics
internal import Store

/// The configuration of a night, as read from a file.
public struct NightlyConfig {
  /// Files of one kind.
  struct Source {
    var files: [FilePattern]
    var settings: SourceOptions
  }

  /// Files that must exist for each day.
  struct Expectation {
    var files: FilePattern
    var count = 1
    /// Days from a day to the night on which its files must exist.
    var after = 1
  }

  struct Thresholds {
    /// The highest share of quarantined lines among all lines of the night.
    var quarantineShare: Double?
    /// The highest share of lines in one file whose events were already known.
    var duplicateShare = 0.5
    /// The most hours from an app's newest event to the night; `*` for all apps.
    var freshnessHours: [(app: String, hours: Double)] = []
    /// The level of the sequential sample-ratio check.
    var sampleRatioP: Double? = ExperimentHealth.alpha
  }

  struct ReportEntry {
    /// The entry as written in the file.
    var text: String
    var finish: NightlyReportMaker
    /// The file that it writes; `nil` for a folder, which is created.
    var output: String?
  }

  var file: String
  var digest: [UInt8]
  public var store: String?
  var timeZone = TimeZone.gmt
  var records = "nightly"
  var sources: [Source] = []
  var expectations: [Expectation] = []
  var thresholds = Thresholds()
  var plans: [String: ExperimentPlan] = [:]
  var reports: [ReportEntry] = []
  var prometheus: String?
  /// The messages of a night; `nil` for none.
  var notify: NotifyConfig?
  /// Why the file that `notes` names gives no notes; `nil` if it does.
  var notesFailure: (any Error)?
  var checksStore = true
  /// Whether every report without options is computed and cached for the first readers of the morning.
  var preparesReports = true
  /// Whether findings of an earlier night set the status again.
  var repeats = false
}

extension NightlyConfig {
  /// The current day in the time zone of the nights.
  public var today: CivilDate { day(of: .now) }

  private func day(of date: Date) -> CivilDate {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let parts = calendar.dateComponents([.year, .month, .day], from: date)
    return CivilDate(year: parts.year ?? 1970, month: parts.month ?? 1, day: parts.day ?? 1)
  }

  /// A phrase such as `2 sources, 3 reports`.
  public var summary: String { "\(counted(sources.count, "source")), \(counted(reports.count, "report"))" }

  /// Makes every report of a store without writing it, and the message of a night.
  ///
  /// - Returns: The files of the message; empty if the night has nothing to tell.
  public func requireReports(
    of storePath: String, night: CivilDate, _ commands: some NightlyCommands
  ) throws -> [String] {
    try Store.open(readOnly: storePath).read { snapshot in
      for entry in reports {
        do {
          _ = try entry.finish(snapshot)
        } catch {
          throw UsageError("\(file): reports: \(entry.text): \(commands.message(of: error))")
        }
      }
      return try notify.map { try check($0, snapshot, night: night) } ?? []
    }
  }

  /// Checks that the notes can be read, that the folders of sources and of all files to write exist, and the programs of messages, too.
  ///
  /// - Throws: ``UsageError``, ``ConfigurationError``.
  public func requireFiles() throws {
    if let notesFailure { throw notesFailure }
    for pattern in sources.flatMap(\.files) {
      let folder = URL(fileURLWithPath: pattern.start + "*").deletingLastPathComponent().path
      if !FileManager.default.fileExists(atPath: folder) {
        throw UsageError(
          "\(file): sources: \(pattern.text): there is no folder \(folder); correct `files`, or create it with "
            + "`mkdir -p \(folder.shellWord)`")
      }
    }
    let recipients = notify?.recipients ?? []
    var files: [(key: String, path: String)] = []
    for entry in reports {
      if let path = entry.output { files.append(("reports: \(entry.text)", path)) }
    }
    if let prometheus { files.append(("prometheus", prometheus)) }
    for recipient in recipients { files.append(("notify.to", recipient.file)) }
    for (key, path) in files {
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      var isFolder: ObjCBool = false
      if !FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) || !isFolder.boolValue {
        throw UsageError(
          "\(file): \(key): there is no folder \(folder) to write \(path) into; create it with `mkdir -p "
            + "\(folder.shellWord)`")
      }
    }
    for recipient in recipients {
      do {
        try MessageDelivery(recipient: recipient).requireProgram()
      } catch let failure as MessageDelivery.Failure {
        throw UsageError("\(file): notify.to: \(failure.program): \(failure.reason)")
      }
    }
  }

  /// Writes the files of a message, with the digest on any day, and runs no command.
  private func check(_ notify: NotifyConfig, _ snapshot: StoreSnapshot, night: CivilDate) throws -> [String] {
    do {
      for number in (notify.digest?.numbers ?? []) + (notify.alarms?.numbers ?? []) { try number.check(snapshot) }
    } catch let error as OptionError {
      throw UsageError("\(file): notify: \(error)")
    }
    let alarms = try notify.alarms.map { alarms in
      try NightAlarms(alarms, snapshot, tested: [:], current: [], notes: notify.notes)
    }
    let night = NightMessage(config: notify, night: night, isPreview: true)
    guard let message = try night.message(snapshot, alarms: alarms, findings: []) else { return [] }
    for recipient in notify.recipients {
      try MessageDelivery(recipient: recipient).write(message.text(as: recipient.format))
    }
    return notify.recipients.map(\.file)
  }

  /// Tests the alarms on nights of a store's past. Nothing is written and no command is run.
  ///
  /// - Throws: ``UsageError`` without alarms, or without events.
  public func replayedAlarms(of storePath: String, nights: Int) throws -> AlarmReplay {
    guard let notify, let alarms = notify.alarms else {
      throw UsageError("\(file): has no alarms to replay; add `alarms: {per_month: 1}` to notify")
    }
    if let notesFailure { throw notesFailure }
    let replay = try Store.open(readOnly: storePath).read { snapshot in
      do {
        return try AlarmReplay(alarms, notes: notify.notes, snapshot, nights: nights) { instant in
          day(of: Date(timeIntervalSince1970: Double(instant) / 1000))
        }
      } catch let error as OptionError {
        throw UsageError("notify: \(error)")
      }
    }
    guard let replay else {
      throw UsageError("\(storePath): has no events yet; load some with `tollgate ingest FILE...`")
    }
    return replay
  }
}
