internal import EventModel
internal import Foundation

/// The folder that journals are written to, locked for this process.
///
/// An incomplete journal has the hidden name `.NAME.part`, which `ingest` skips; it gets its name when it is complete.
final class JournalFolder: Sendable {
  static let suffix = ".jsonl.zst"
  private static let partSuffix = ".part"

  let path: String
  private let descriptor: Int32

  /// Creates the folder with mode 0700 if it does not exist, as payloads are personal data. Its parent must exist.
  init(path: String) throws(JournalFailure) {
    if mkdir(path, 0o700) != 0 && errno != EEXIST { throw .system(path, "cannot be created") }
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path, "cannot be opened as a folder") }
    self.path = path
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw JournalFailure(path, "another `tollgate receive` writes to it; use one folder for each")
    }
    guard access(path, W_OK | X_OK) == 0 else { throw .system(path, "cannot be written to") }
  }

  deinit { close(descriptor) }

  func path(of name: String) -> String { path + "/" + name }

  func partName(of name: String) -> String { "." + name + Self.partSuffix }

  /// Returns an unused name, `SOURCE-2026-03-01T09-30-00Z-1.jsonl.zst`, with the second in which the journal was
  /// opened.
  func freeName(source: String, at instant: Instant) -> String {
    let seconds = Instant(millisecondsSince1970: instant.millisecondsSince1970 / 1_000 * 1_000)
    let time = "\(seconds)".replacing(":", with: "-").replacing(".000", with: "")
    var number = 1
    while true {
      let name = "\(source)-\(time)-\(number)\(Self.suffix)"
      if access(path(of: name), F_OK) != 0 && access(path(of: partName(of: name)), F_OK) != 0 { return name }
      number += 1
    }
  }

  /// Renames a complete journal to its final name.
  func publish(_ name: String) throws(JournalFailure) {
    guard rename(path(of: partName(of: name)), path(of: name)) == 0 else {
      throw .system(path(of: name), "cannot be named so")
    }
    try synchronise()
  }

  /// Syncs the names in the folder to the disk.
  func synchronise() throws(JournalFailure) {
    guard fsync(descriptor) == 0 else { throw .system(path, "cannot be synchronised") }
  }

  /// Returns the names of incomplete journals, in byte order.
  func unfinished() throws(JournalFailure) -> [String] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      throw .system(path, "cannot be listed")
    }
    let ending = Self.suffix + Self.partSuffix
    return names.filter { $0.hasPrefix(".") && $0.hasSuffix(ending) }
      .map { String($0.dropFirst().dropLast(Self.partSuffix.count)) }.sorted()
  }
}
