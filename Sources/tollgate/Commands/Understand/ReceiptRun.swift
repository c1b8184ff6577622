import ArgumentParser
import Basics
import Foundation
import Logging
import Reports
import Store

/// The command of a receipt, which prints a report as JSON.
struct ReceiptRun {
  /// Options that read or write other files than the report's own, and those that a receipt never has.
  private static let refused = [
    "--store", "--output", "--receipt", "--freeze", "--memo", "--log-format", "--log-level",
  ]

  private let command: any ReportingCommand

  /// - Throws: ``UsageError`` for words that do not print a report as JSON.
  init(_ words: [String]) throws {
    for word in words.prefix(while: { $0 != "--" }) {
      if let name = Self.refused.first(where: { word == $0 || word.hasPrefix("\($0)=") }) {
        throw UsageError("the receipt's command has \(name), which no receipt has: it is not one that tollgate wrote")
      }
    }
    let parsed: any ParsableCommand
    do { parsed = try CommandWords.parse(words) } catch { throw Self.failure(error) }
    guard let command = parsed as? any ReportingCommand, command.output.format == .json else {
      throw UsageError("the receipt's command does not print a report as JSON: it is not one that tollgate wrote")
    }
    self.command = command
  }

  /// Returns an error of the receipt's command, which says that it is of that command.
  static func failure(_ error: any Error) -> any Error {
    guard Main.status(of: error) == .usage else { return error }
    return UsageError("the receipt's command does not work, so it may have been edited: \(Main.message(of: error))")
  }

  /// Returns what the command prints.
  func text(_ store: Store, logger: Logger) throws -> String {
    try store.read(knownAt: command.knownAt, logger: logger, text)
  }

  /// Returns what the command prints on a snapshot that has what is known already.
  func text(_ snapshot: StoreSnapshot) throws -> String {
    try command.check()
    var report = try command.report(snapshot)
    if let knownAt = command.knownAt { report = report.noting(knownAt: knownAt) }
    return try command.output.text(report, adjusting: command.adjust)
  }
}

extension Receipt {
  /// Creates the receipt of a command's report.
  init(of words: [String], on store: Store, _ snapshot: StoreSnapshot, logger: Logger) throws {
    let run = try ReceiptRun(words)
    let isOfPast = words.contains { $0.hasPrefix("--known-at=") }
    try self.init(
      version: Tollgate.version, command: words, store: isOfPast ? try store.read { try $0.state() } : nil,
      on: snapshot, printing: try run.text(snapshot))
  }

  /// The result of making a receipt's report again.
  enum Verdict {
    case same
    /// Where the bytes differ first.
    case differs(String)
    /// Why the report cannot be made again.
    case cannot(String)
  }

  /// Computes the report again, as known when the receipt was written, and compares (Agents.md, "Receipts").
  ///
  /// - Throws: ``UsageError`` for a command that no receipt has; ``StoreError``.
  func verdict(on path: String, logger: Logger) throws -> Verdict {
    let run = try ReceiptRun(command)
    let opened = try Store.open(readOnly: path)
    let (files, prefix) = try opened.read { (try $0.files(), try $0.state(ofFirst: store.files)) }
    guard prefix.files == store.files, prefix.digest == store.digest else {
      return .cannot(
        "this is another store: it has not read the same \(store.files) files in the same order and by the same mappings"
      )
    }
    let isLater = files.count > store.files
    let known = try isLater ? opened.read { try $0.known(at: .file(files.prefix(store.files).last?.id ?? 0)) } : nil
    return try withExtendedLifetime(known) {
      let then = known?.store ?? opened
      let (now, changed) = try then.read { (try $0.state(), try changedFile($0)) }
      if now.events < store.events {
        let gone = store.events - now.events
        return .cannot(
          "\(gone) of its \(store.events) events were removed since by `tollgate forget` or `tollgate prune`")
      }
      if now.events > store.events {
        return .cannot(
          "\(now.events - store.events) more events of its files were read since, as by `tollgate quarantine retry`")
      }
      let difference: String?
      do {
        difference = self.difference(from: try run.text(then, logger: logger))
      } catch {
        guard let cause = cause(now, changed) else { throw ReceiptRun.failure(error) }
        return .cannot("\(cause), and the command ends with: \(Main.message(of: error))")
      }
      guard let difference else { return .same }
      if let cause = cause(now, changed) { return .cannot("\(cause), and \(difference)") }
      return .differs("\(difference); the data and tollgate are as they were, so someone may have edited the receipt")
    }
  }

  /// Returns a cause other than the events for which the report may differ.
  private func cause(_ now: StoreState, _ changed: String?) -> String? {
    if version != Tollgate.version {
      return
        "it is from version \(version) of tollgate and this is \(Tollgate.version), whose changelog says what changed"
    }
    if now.rates != store.rates { return "exchange rates were imported since" }
    if now.spend != store.spend { return "advertising spend was imported since" }
    return changed.map { "the file \($0) changed since" }
  }
}
