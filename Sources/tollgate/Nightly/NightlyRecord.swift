import EventModel
import Foundation
import Reports
import Store

/// What was found in a night that somebody has to know.
struct NightlyFinding: Codable, Equatable {
  enum Check: String, Codable, CaseIterable {
    /// Files of a day that are not there.
    case missing
    /// Files that came after the night on which they were due.
    case late
    /// A file that says what another has said.
    case duplicate
    /// A file of which nothing could be taken.
    case failed
    /// A source without a file.
    case empty
    case quarantine
    case freshness
    case sampleRatio = "sample_ratio"
    /// An experiment that is decided otherwise than on the night before.
    case decision
    case metric
    /// A check or report that could not be made, or a file that could not be written; found on every night anew.
    case output
  }

  var check: Check
  /// What it is about: the same on every night that finds it.
  var subject: String
  var message: String
  var value: Double?
  var limit: Double?
  /// Whether the night before had not found it.
  var isNew = true

  enum CodingKeys: String, CodingKey {
    case check, subject, message, value, limit
    case isNew = "new"
  }
}

/// What a night did and found.
struct NightlyRecord: Codable, Equatable {
  var night: String
  var program = Tollgate.version
  var config: String
  var configSHA256: String
  var store: String
  var status: Int32 = 0
  /// Why the night did not come to its end.
  var error: String?

  var files = 0
  var filesFailed = 0
  var lines = 0
  var events = 0
  var duplicates = 0
  /// By reason.
  var quarantined: [String: Int] = [:]
  /// The instant just after each app's newest event.
  var asOf: [String: String] = [:]
  var findings: [NightlyFinding] = []
  var reports: [String] = []

  /// What the next night has to know.
  var filesThrough: Int64 = 0
  /// The bytes of that file: another there, or none, and the store is not the one that the night left.
  var filesThroughSHA256: String?
  /// The last file that was in the store before this night: what it brought is behind it.
  var filesBefore: Int64 = 0
  var knownDuplicates: [String] = []
  var knownFailures: [String] = []
  var missing: [String] = []
  /// The decision of each experiment, by `app/experiment`; `nil` in records of programs that noted none.
  var decisions: [String: String]?

  /// Of the run that first came to this; what else a record says depends on the files alone.
  var startedAt = ""
  var seconds = 0.0

  enum CodingKeys: String, CodingKey {
    case night, program, config, store, status, error, files, lines, events, duplicates, quarantined, findings, reports
    case missing, decisions, seconds
    case configSHA256 = "config_sha256"
    case filesFailed = "files_failed"
    case asOf = "as_of"
    case filesThrough = "files_through"
    case filesThroughSHA256 = "files_through_sha256"
    case filesBefore = "files_before"
    case knownDuplicates = "known_duplicates"
    case knownFailures = "known_failures"
    case startedAt = "started_at"
  }

  init(night: CivilDate, config: NightlyConfig, store: String) {
    self.night = night.description
    self.config = config.file
    configSHA256 = config.digest.hexadecimal
    self.store = store
  }

  /// Notes the last file that is this night's, or that was before it.
  mutating func end(through file: Int64, _ manifest: [StoreSnapshot.ManifestFile]) {
    filesThrough = file
    filesThroughSHA256 = manifest.first { $0.id == file }?.digest.hexadecimal
  }

  /// Whether a store has the last file of the night under the same number.
  func isOf(_ manifest: [StoreSnapshot.ManifestFile]) -> Bool {
    manifest.contains { $0.id == filesThrough && $0.digest.hexadecimal == filesThroughSHA256 }
  }

  var json: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self) + Data("\n".utf8)
    }
  }

  /// Whether two runs of a night came to the same.
  func saysTheSame(as other: NightlyRecord) -> Bool {
    var other = other
    (other.startedAt, other.seconds) = (startedAt, seconds)
    return self == other
  }
}

/// The records of all nights, a file each.
struct NightlyRecords {
  let folder: String

  func path(of night: CivilDate) -> String { "\(folder)/\(night).json" }

  func record(of night: CivilDate) throws -> NightlyRecord? {
    guard let data = FileManager.default.contents(atPath: path(of: night)) else { return nil }
    do {
      return try JSONDecoder().decode(NightlyRecord.self, from: data)
    } catch {
      throw UsageError("\(path(of: night)): is no record of a night; move it away and run the night again")
    }
  }

  /// The nights that have a record, oldest first.
  var nights: [CivilDate] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".json") }.compactMap { CivilDate(String($0.dropLast(5))) }.sorted()
  }

  /// The record of the last night before one that came to its end.
  func last(before night: CivilDate) throws -> NightlyRecord? {
    for earlier in nights.reversed() where earlier < night {
      if let record = try record(of: earlier), record.error == nil { return record }
    }
    return nil
  }

  /// Keeps a record; one that says the same stays as it is.
  ///
  /// - Returns: The record that is there.
  func keep(_ record: NightlyRecord, of night: CivilDate) throws -> NightlyRecord {
    if let known = try? self.record(of: night), known.saysTheSame(as: record) { return known }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try WholeFile.write(record.json, to: path(of: night))
    } catch let failure as WholeFile.Failure {
      throw UsageError("\(path(of: night)): \(failure)")
    } catch {
      throw UsageError("\(path(of: night)): cannot be written: \(error.localizedDescription)")
    }
    return record
  }
}
