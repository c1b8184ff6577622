import ArgumentParser
import Crypto
import EventModel
import Foundation
import Metrics
import Reports
import Store

struct ForgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Erases a person from the store, with a receipt.",
    discussion: """
      All ids that are joined with the one given are the person's. Their events, facts and lines in quarantine go, also where \
      the id stands in a signed or encoded text, and the texts that nobody else's events have. Reports then say what they \
      would say had the events never been read; only the manifest keeps how many lines each file had. The receipt is JSON \
      and names the id by its SHA-256 alone.

      "overwritten": true says that the pages which the store's file had freed are overwritten and its log is empty. It \
      says nothing of blocks of the disk that earlier logs, copies or removed files have freed: a disk that must not give \
      them back has to be encrypted, or wiped. Unfinished copies of the store that killed commands left beside it are removed; \
      "leftover_copies" says how many there were.

      Not touched: event files and what `receive` has kept (erase the person there, too, or a new store will have them), \
      backups, exports, and reports that name users, such as explanations.
      """)

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("Any of the person's user ids.", valueName: "id"))
  var user: String

  @Option(help: ArgumentHelp("Only in this app (repeatable; default: all).", valueName: "name"))
  var app: [String] = []

  @Option(help: ArgumentHelp("Write the receipt to a file, and not to standard output.", valueName: "file"))
  var receipt: String?

  @OptionGroup var lock: LockArguments

  mutating func validate() throws {
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

    init(_ receipt: ForgetReceipt, user: String, store: String) {
      user_sha256 = SHA256.hash(data: Data(user.utf8)).hexadecimal
      forgotten_at = Date.now.formatted(.iso8601)
      self.store = store
      apps = receipt.apps
      persons = receipt.persons
      ids = receipt.ids
      events = receipt.events
      quarantined_lines = receipt.quarantinedLines
      conflicts = receipt.conflicts
      names = receipt.names
      leftover_copies = receipt.leftoverCopies ?? 0
      bytes_before = receipt.bytesBefore
      bytes_after = receipt.bytesAfter
      overwritten = receipt.isOverwritten
      traces = receipt.traces
    }
  }

  func run() throws {
    let store = try lock.open(common.storePath)
    let known = try store.read { try $0.apps().map(\.name) }
    for name in app where !known.contains(name) {
      throw ReportError.unknownApp(name, known: known)
    }
    guard let done = try store.forget(user: user, apps: app, lockTimeout: lock.lockTimeout) else {
      throw UsageError(
        "--user is \(user), but the store has no such user\(app.isEmpty ? "" : " in \(app.joined(separator: ", "))")")
    }
    try ReportCache.fill(store)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let text = try encoder.encode(Receipt(done, user: user, store: common.storePath)) + Data("\n".utf8)
    if let receipt {
      do {
        try WholeFile.write(text, to: receipt)
      } catch {
        FileHandle.standardOutput.write(text)
        throw UsageError("--receipt \(receipt): \(error); the person is erased")
      }
    } else {
      FileHandle.standardOutput.write(text)
    }
    if !done.isOverwritten {
      LogFormat.warn(
        "\(common.storePath): the person is erased, but another process reads the store, so that freed pages may still hold "
          + "their bytes; run `tollgate vacuum` when it has ended")
      throw ExitCode(ExitStatus.store.rawValue)
    }
    if let traces = done.traces, traces > 0 {
      LogFormat.warn(
        "\(traces) places of the store still have an id's bytes: in another app, as part of another id, in others' events, "
          + "or in a file's name")
      throw ExitCode(ExitStatus.incomplete.rawValue)
    }
  }
}
