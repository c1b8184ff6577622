internal import Basics
internal import EventModel
internal import Foundation
internal import Ingest
internal import Metrics
internal import Store

/// Compares the files that arrived in a night with those expected.
struct ArrivalChecks {
  let config: NightlyConfig
  let night: CivilDate
  /// The record of the previous night; `nil` for the first.
  let previous: NightlyRecord?
  /// The last file of the manifest before this night.
  let filesBefore: Int64
  /// The whole manifest, oldest first.
  let manifest: [StoreSnapshot.ManifestFile]
  /// The path of the store, for commands that are suggested.
  let store: String
  /// The files found by the sources.
  let found: [InputFile]

  /// The files ingested since the last night.
  var filesOfNight: [StoreSnapshot.ManifestFile] {
    manifest.filter { $0.failure == nil && $0.id > filesBefore }
  }

  /// Returns the days due for the first time, oldest first; a skipped night leaves its days to the next one.
  private func dueDays(_ expected: NightlyConfig.Expectation) -> [CivilDate] {
    let last = night.daysSince1970 - expected.after
    let first = previous.flatMap { CivilDate($0.night) }.map { $0.daysSince1970 - expected.after + 1 } ?? last
    return first > last ? [] : (first...last).map { CivilDate(daysSince1970: $0) }
  }

  func missing() -> [NightlyFinding] {
    config.expectations.flatMap { expected in
      dueDays(expected).compactMap { day in
        let count = expected.files.paths(of: day).count
        if count >= expected.count { return nil }
        return NightlyFinding(
          check: .missing, subject: "\(expected.files.text) \(day)",
          message: "\(expected.files.text): \(count) of \(expected.count) files of \(day) arrived",
          value: Double(count), limit: Double(expected.count))
      }
    }
  }

  /// Returns the files reported missing on this or an earlier night that are still missing.
  func stillMissing(_ findings: [NightlyFinding]) -> [String] {
    let known = previous?.missing ?? []
    let new = findings.filter { $0.check == .missing }.map(\.subject)
    return (known + new.filter { !known.contains($0) }).filter { subject in
      config.expectations.contains { expected in
        guard subject.hasPrefix(expected.files.text + " "), let day = CivilDate(String(subject.suffix(10))) else {
          return false
        }
        return expected.files.paths(of: day).count < expected.count
      }
    }
  }

  /// The days of files that are still missing, as notes that alarms leave out.
  static func notes(ofMissing subjects: [String]) -> [DayNote] {
    subjects.compactMap { subject in
      var note = DayNote(String(subject.suffix(10)), text: "files of this day are missing")
      note?.isExcluded = true
      return note
    }
  }

  /// Returns files that were missing and have arrived, and other files of days that were due earlier.
  func late() -> [NightlyFinding] {
    // On the first night nothing is late: all earlier files were there before it.
    guard let previous, let before = CivilDate(previous.night) else { return [] }
    var found: [NightlyFinding] = []
    for expected in config.expectations {
      var days = Set<CivilDate>()
      for subject in previous.missing where subject.hasPrefix(expected.files.text + " ") {
        guard let day = CivilDate(String(subject.suffix(10))), expected.files.paths(of: day).count >= expected.count
        else { continue }
        days.insert(day)
        found.append(late(subject, "\(expected.files.text): the files of \(day)", of: day, expected))
      }
      for file in filesOfNight {
        // A file that only repeats known events changes no number.
        guard file.events + file.conflicts > 0 || file.duplicates == 0, file.lines > 0,
          let day = expected.files.day(in: file.path), !days.contains(day), due(day, expected) <= before
        else { continue }
        found.append(late(file.path, file.path, of: day, expected))
      }
    }
    return found
  }

  private func due(_ day: CivilDate, _ expected: NightlyConfig.Expectation) -> CivilDate {
    CivilDate(daysSince1970: day.daysSince1970 + expected.after)
  }

  private func late(
    _ subject: String, _ what: String, of day: CivilDate, _ expected: NightlyConfig.Expectation
  ) -> NightlyFinding {
    let due = due(day, expected)
    return NightlyFinding(
      check: .late, subject: subject,
      message: "\(what) came for the night of \(night) and not that of \(due): numbers of its days change",
      value: Double(night.daysSince1970 - due.daysSince1970), limit: 0)
  }

  /// A file with the bytes of another file.
  struct Copy {
    var path: String
    var original: String
    /// Whether it has no line; all such files of one format are copies of each other.
    var isEmpty: Bool
  }

  /// Returns files with the bytes of another file under a different name, if that other file still exists or both are
  /// empty. A moved file, or one read by another path, is not a copy.
  func copies() -> [Copy] {
    let taken = manifest.filter { $0.failure == nil }
    let names = Set(manifest.map(\.path))
    let originals = Dictionary(taken.map { ($0.digest, $0) }) { first, _ in first }
    return found.compactMap { file in
      guard file.byteCount != nil, !names.contains(file.path), let digest = file.digest(),
        let original = originals[digest]
      else { return nil }
      let identity = FileIdentity(path: original.path)
      guard identity != nil || original.lines == 0, identity != FileIdentity(path: file.path) else { return nil }
      return Copy(path: file.path, original: original.path, isEmpty: original.lines == 0)
    }
  }

  /// Returns the copies that the previous night did not know.
  private func new(_ copies: [Copy]) -> [Copy] {
    let known = Set(previous?.knownDuplicates ?? [])
    return copies.filter { !known.contains($0.path) }
  }

  /// Returns a finding for each new file without an event.
  func empty(_ copies: [Copy]) -> [NightlyFinding] {
    let paths = filesOfNight.filter { $0.lines == 0 }.map(\.path) + new(copies).filter(\.isEmpty).map(\.path)
    return paths.map { path in
      NightlyFinding(
        check: .empty, subject: path, message: "\(path): is empty; send the file again if the day had events")
    }
  }

  func duplicates(_ copies: [Copy]) -> [NightlyFinding] {
    let sameBytes = new(copies).filter { !$0.isEmpty }.map { copy in
      NightlyFinding(
        check: .duplicate, subject: copy.path,
        message: "\(copy.path): has the bytes of \(copy.original); it was skipped",
        value: 1, limit: 0)
    }
    let sameEvents = filesOfNight.compactMap { file -> NightlyFinding? in
      let share = file.lines == 0 ? 0 : Double(file.duplicates) / Double(file.lines)
      guard share > config.thresholds.duplicateShare else { return nil }
      return NightlyFinding(
        check: .duplicate, subject: file.path,
        message: "\(file.path): \(grouped(file.duplicates)) of \(grouped(file.lines)) lines repeat known events; "
          + "each counts once",
        value: share, limit: config.thresholds.duplicateShare)
    }
    return sameBytes + sameEvents
  }

  /// Returns files that could not be ingested and still exist.
  func failures() -> [StoreSnapshot.ManifestFile] {
    let there = Set(found.map(\.path))
    return manifest.filter { $0.failure != nil && there.contains($0.path) }
  }

  static func key(of failure: StoreSnapshot.ManifestFile) -> String {
    "\(failure.path) \(failure.digest.prefix(8).hexadecimal)"
  }

  /// Returns a finding for each file of which nothing was taken: those that failed, and those of this night all of whose
  /// lines were rejected.
  func failed(_ failures: [StoreSnapshot.ManifestFile]) -> [NightlyFinding] {
    let rejected = filesOfNight.filter { $0.failure == nil && $0.lines > 0 && $0.quarantined == $0.lines }
    return failures.map { file in
      NightlyFinding(
        check: .failed, subject: Self.key(of: file),
        message: "\(file.path): nothing ingested: \(file.failure ?? "unknown")")
    }
      + rejected.map { file in
        NightlyFinding(
          check: .failed, subject: Self.key(of: file),
          message: "\(file.path): \(file.lines == 1 ? "its only line was" : "all \(grouped(file.lines)) lines were") "
            + "rejected; `tollgate quarantine list --store \(store.shellWord)` says why")
      }
  }

  /// - Parameter reasons: The night's quarantined lines, by reason.
  func quarantine(_ reasons: [String: Int]) -> [NightlyFinding] {
    let lines = filesOfNight.reduce(0) { $0 + $1.lines }
    let rejected = reasons.values.reduce(0, +)
    guard let limit = config.thresholds.quarantineShare, lines > 0 else { return [] }
    let share = Double(rejected) / Double(lines)
    if share <= limit { return [] }
    let list = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \(grouped($0.value))" }
    return [
      NightlyFinding(
        check: .quarantine, subject: "night",
        message: "\(grouped(rejected)) of \(grouped(lines)) lines were rejected, \(percent(share)), more than "
          + "\(percent(limit)): \(list.joined(separator: ", "))",
        value: share, limit: limit)
    ]
  }
}

func percent(_ share: Double) -> String { String(format: "%.1f%%", share * 100) }
