public import ArgumentParser
import Foundation
public import Logging

/// What every command takes.
struct CommonOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The store (default: TOLLGATE_STORE, else tollgate.db here).", valueName: "path"),
    completion: .file())
  var store: String?

  @OptionGroup var log: LogOptions

  var quiet: Bool { log.quiet }

  /// Writes to standard error.
  var logger: Logger { log.logger }

  var storePath: String {
    store ?? ProcessInfo.processInfo.environment["TOLLGATE_STORE"].flatMap { $0.isEmpty ? nil : $0 } ?? "tollgate.db"
  }
}

/// What to say beside results.
struct LogOptions: ParsableArguments {
  @Flag(help: "Print nothing but results and errors.")
  var quiet = false

  @Option(
    help: ArgumentHelp(
      "What to say on standard error: trace, debug, info, notice, warning, error or critical.", valueName: "level"))
  var logLevel: Logger.Level = .warning

  @Option(help: "How to say it: text, or json, an object a line.")
  var logFormat: LogFormat = .text

  /// Writes to standard error.
  var logger: Logger {
    let format = logFormat
    var logger = Logger(label: "tollgate") { label in
      switch format {
      case .text: TextLogHandler(label: label)
      case .json: JSONLogHandler()
      }
    }
    logger.logLevel = quiet ? max(logLevel, .error) : logLevel
    return logger
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
