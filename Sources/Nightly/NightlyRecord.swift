internal import Basics
internal import EventModel
public import Foundation
internal import Reports
internal import Store

/// A finding of a night that needs attention.
struct NightlyFinding: Codable, Equatable, Sendable {
  enum Check: String, Codable, CaseIterable, Sendable {
    /// Missing files of a day.
    case missing
    /// Files that arrived after the night on which they were due.
    case late
    /// A file with the content of another one.
    case duplicate
    /// A file that could not be ingested.
    case failed
    /// A source without a file, or a file without an event.
    case empty
    /// Apps that no earlier night had.
    case app
    case quarantine
    case freshness
    case sampleRatio = "sample_ratio"
    /// An experiment whose decision changed since the previous night.
    case decision
    /// A number that had moved, in records of earlier versions.
    case metric
    /// A watched number whose newest settled day stands out from those before.
    case alarm
    /// A check or report that could not be made, or a file that could not be written; reported again every night.
    case output
  }

  var check: Check
  /// The subject of the finding, identical on every night that finds it.
  var subject: String
  var message: String
  var value: Double?
  var limit: Double?
  /// Whether the previous night did not have the finding.
  var isNew = true

  enum CodingKeys: String, CodingKey {
    case check, subject, message, value, limit
    case isNew = "new"
  }
}

/// A message that a recipient's command did not take; the next run sends it again.
struct UnsentMessage: Codable, Equatable, Sendable {
  var night: String
  var file: String
  var text: String
}

/// The work and the findings of a night.
public struct NightlyRecord: Codable, Equatable, Sendable {
  var night: String
  var program = programVersion
  var config: String
  var configSha256: String
  var store: String
  /// The status that the program ends with.
  public internal(set) var status: Int32 = 0
  /// The reason why the night did not finish.
  var error: String?

  var files = 0
  var filesFailed = 0
  var lines = 0
  var events = 0
  var duplicates = 0
  /// Quarantined lines by reason.
  var quarantined: [String: Int] = [:]
  /// The instant just after each app's newest event.
  var asOf: [String: String] = [:]
  var findings: [NightlyFinding] = []
  var reports: [String] = []

  /// The last file of the night, which the next night continues from.
  var filesThrough: Int64 = 0
  /// The hash of that file; if another or no file is there, the store is not the one that the night left.
  var filesThroughSha256: String?
  /// The last file in the store before this night; this night's files come after it.
  var filesBefore: Int64 = 0
  var knownDuplicates: [String] = []
  var knownFailures: [String] = []
  var missing: [String] = []
  /// The decision of each experiment by `app/experiment`; `nil` in records of versions that did not record any.
  var decisions: [String: String]?
  /// The last day tested of each watched number and app, as days since 1970; `nil` before the first.
  var watched: [String: Int]?
  /// The alarms that stand, by number and app.
  var alarms: [String]?
  /// The hash of the message that was sent to all but the recipients of ``unsent``; `nil` if there was none.
  var sent: String?
  /// The messages that are still to be sent, the oldest first; `nil` if there never were any.
  var unsent: [UnsentMessage]?

  /// The start of the first run with this result; the rest of a record depends on the files alone.
  var startedAt = ""
  var seconds = 0.0

  init(night: CivilDate, config: NightlyConfig, store: String) {
    self.night = night.description
    self.config = config.file
    configSha256 = config.digest.hexadecimal
    self.store = store
  }

  /// Records the last file of this night or before it.
  mutating func end(through file: Int64, _ manifest: [StoreSnapshot.ManifestFile]) {
    filesThrough = file
    filesThroughSha256 = manifest.first { $0.id == file }?.digest.hexadecimal
  }

  /// Returns whether a store has the night's last file under the same number.
  func isOf(_ manifest: [StoreSnapshot.ManifestFile]) -> Bool {
    manifest.contains { $0.id == filesThrough && $0.digest.hexadecimal == filesThroughSha256 }
  }

  public var json: Data { get throws { try readableJSON(self, keys: .convertToSnakeCase) } }

  /// The record as lines to read.
  public var text: String {
    let quarantined = quarantined.values.reduce(0, +)
    var lines = [
      "\(night): \(counted(files, "new file")), \(counted(events, "event")), "
        + "\(counted(duplicates, "duplicate")), \(grouped(quarantined)) rejected; status \(status)"
    ]
    for finding in findings.joiningDays {
      let line = "\(finding.isNew ? "new     " : "standing") \(finding.check.rawValue): \(finding.message)"
      // A decision's message is a memo of several lines, which hides nothing in its names.
      lines.append(finding.check == .decision ? ReportMarkup.shown(linesOf: line) : ReportMarkup.shown(line))
    }
    let old = missing.filter { subject in !findings.contains { $0.subject == subject } }
    for subject in MissingDays.joined(old) { lines.append(ReportMarkup.shown("standing missing: \(subject)")) }
    return lines.joined(separator: "\n")
  }

  /// Returns whether two runs of a night had the same result.
  func saysTheSame(as other: NightlyRecord) -> Bool {
    var other = other
    (other.startedAt, other.seconds) = (startedAt, seconds)
    return self == other
  }
}

/// The records of all nights, one file each.
struct NightlyRecords {
  let folder: String

  func path(of night: CivilDate) -> String { "\(folder)/\(night).json" }

  func record(of night: CivilDate) throws -> NightlyRecord? {
    guard let data = FileManager.default.contents(atPath: path(of: night)) else { return nil }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do {
      return try decoder.decode(NightlyRecord.self, from: data)
    } catch {
      throw UsageError("\(path(of: night)): is not a record of a night; move it away and run the night again")
    }
  }

  /// The nights with a record, oldest first.
  var nights: [CivilDate] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".json") }.compactMap { CivilDate(String($0.dropLast(5))) }.sorted()
  }

  /// Returns the record of the last finished night before the given one.
  func last(before night: CivilDate) throws -> NightlyRecord? {
    for earlier in nights.reversed() where earlier < night {
      if let record = try record(of: earlier), record.error == nil { return record }
    }
    return nil
  }

  /// Writes a record; a record with the same content stays unchanged.
  ///
  /// - Returns: The record on disk.
  func keep(_ record: NightlyRecord, of night: CivilDate) throws -> NightlyRecord {
    if let known = try? self.record(of: night), known.saysTheSame(as: record) { return known }
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try WholeFile.write(record.json, to: path(of: night))
    } catch let failure as WholeFile.Failure {
      throw UsageError("\(path(of: night)): \(failure)")
    } catch {
      throw UsageError("\(path(of: night)): cannot be written: \(FileArgument.reason(of: error, at: folder))")
    }
    return record
  }
}
