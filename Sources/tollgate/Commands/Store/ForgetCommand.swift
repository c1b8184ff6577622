import ArgumentParser
import Basics
import Crypto
import EventModel
import Foundation
import Metrics
import Reports
import Store

struct ForgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Erase a user from the store and print a receipt.",
    discussion: """
      Erases all joined ids of the user from events, results and rejected lines, even from signed and encoded ones. Also \
      erases names that only this user's events had, and unfinished copies that interrupted commands left next to the \
      store. Reports then give the same numbers as if the events had never been loaded. Only the number of lines per \
      file stays.

      This cannot be undone: use --dry-run to see what would be erased.

      The receipt is JSON. It contains the SHA-256 of the id, not the id. "overwritten": true means that the free pages of \
      the store's file are overwritten and its log is empty. Disk blocks that earlier logs, copies or deleted files used \
      are out of reach: encrypt the disk.

      Also erase the user elsewhere: in event files and files from `receive`, or a new store will contain the user again; \
      and in backups, exports and saved explanations.
      """)

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("Any id of the user.", valueName: "id"))
  var user: String

  @Option(help: ArgumentHelp("Erase only in this app (repeatable; default: all).", valueName: "name"))
  var app: [String] = []

  @Option(help: ArgumentHelp("Write the receipt to a file instead of standard output.", valueName: "file"))
  var receipt: String?

  @Flag(help: "Change nothing; print what would be erased.")
  var dryRun = false

  @OptionGroup var lock: LockArguments

  mutating func validate() throws {
    if dryRun, receipt != nil { throw ValidationError("--dry-run erases nothing, so there is no --receipt") }
    if user.isEmpty { throw ValidationError("--user is empty, but must be a user id") }
  }

  private struct Receipt: Encodable {
    var user_sha256: String
    var forgotten_at: String
    var store: String
    var apps: [String]
    var persons: Int
    var ids: Int
    var events: Int
    var quarantined_lines: Int
    var conflicts: Int
    var names: Int
    var leftover_copies: Int
    var bytes_before: Int64
    var bytes_after: Int64
    var overwritten: Bool
    /// The traces found; `null` if the ids are too short to search for.
    var traces: Int?
  }

  private func text(of done: ForgetReceipt) throws -> Data {
    try readableJSON(
      Receipt(
        user_sha256: SHA256.hash(data: Data(user.utf8)).hexadecimal, forgotten_at: Date.now.formatted(.iso8601),
        store: common.storePath, apps: done.apps, persons: done.persons, ids: done.ids, events: done.events,
        quarantined_lines: done.quarantinedLines, conflicts: done.conflicts, names: done.names,
        leftover_copies: done.leftoverCopies ?? 0, bytes_before: done.bytesBefore, bytes_after: done.bytesAfter,
        overwritten: done.isOverwritten, traces: done.traces))
  }

  func run() throws {
    let store = try lock.open(common.storePath)
    let known = try store.read { try $0.apps().map(\.name) }
    for name in app where !known.contains(name) {
      throw ReportError.unknownApp(name, known: known)
    }
    guard let done = try store.forget(user: user, apps: app, isDryRun: dryRun, lockTimeout: lock.lockTimeout) else {
      throw UsageError(
        "--user is \(user), but the store has no such user\(app.isEmpty ? "" : " in \(app.joined(separator: ", "))")")
    }
    if dryRun {
      return print(
        "\(counted(done.persons, "user")) with \(counted(done.ids, "id")) in "
          + "\(ReportMarkup.shown(done.apps.joined(separator: ", "))): "
          + "\(counted(done.events, "event")) and \(counted(done.quarantinedLines, "rejected line")) would be erased.")
    }
    try ReportCache.fill(store)
    let text = try text(of: done)
    if let receipt {
      do {
        try WholeFile.write(text, to: receipt)
      } catch {
        FileHandle.standardOutput.write(text)
        throw UsageError("--receipt \(receipt): \(error); the user is erased")
      }
    } else {
      FileHandle.standardOutput.write(text)
    }
    if !done.isOverwritten {
      LogFormat.warn(
        "\(common.storePath): the user is erased, but another process is reading the store, so free pages may still hold "
          + "their data; run `tollgate vacuum` when it has ended")
      throw ExitCode(ExitStatus.store.rawValue)
    }
    if let traces = done.traces, traces > 0 {
      LogFormat.warn(
        "the store still has an id in \(counted(traces, "place")): in another app, as part of another id, in other users' "
          + "events, or in a file's name")
      throw ExitCode(ExitStatus.incomplete.rawValue)
    }
  }
}
