public import ArgumentParser
import Foundation
public import Logging

/// The options of every command.
struct CommonOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Store file (default: $TOLLGATE_STORE, else tollgate.db in the current folder).", valueName: "path"),
    completion: .file())
  var store: String?

  @OptionGroup var log: LogOptions

  mutating func validate() throws {
    if store == "" { throw ValidationError("--store is empty, but must name a file") }
  }

  /// The option as it was given, for commands that are suggested; empty without one.
  var storeWords: String { store.map { " --store \($0.shellWord)" } ?? "" }

  /// The name of a store that does not exist yet, for commands that are suggested.
  static var newStore: String {
    let names = (1...).lazy.map { $0 == 1 ? "new.db" : "new\($0).db" }
    return names.first { !FileManager.default.fileExists(atPath: $0) } ?? "new.db"
  }

  var quiet: Bool { log.quiet }

  /// Writes to standard error.
  var logger: Logger { log.logger }

  var storePath: String {
    store ?? ProcessInfo.processInfo.environment["TOLLGATE_STORE"].flatMap { $0.isEmpty ? nil : $0 } ?? "tollgate.db"
  }

  /// The path of a file beside the store.
  func beside(_ name: String) -> String {
    ((storePath as NSString).deletingLastPathComponent as NSString).appendingPathComponent(name)
  }
}

/// The options for messages on standard error.
struct LogOptions: ParsableArguments {
  @Flag(help: "Print only results and errors.")
  var quiet = false

  @Option(
    help: ArgumentHelp(
      "Lowest level to log.", valueName: "level"))
  var logLevel: Logger.Level = .warning

  @Option(help: "Format of messages on standard error: text, or json with one object per line.")
  var logFormat: LogFormat = .text

  /// Writes to standard error.
  var logger: Logger {
    let format = logFormat
    var logger = Logger(label: "tollgate") { ShownLogHandler(label: $0, format: format) }
    logger.logLevel = quiet ? max(logLevel, .error) : logLevel
    return logger
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
