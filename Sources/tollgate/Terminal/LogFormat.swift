import ArgumentParser
import Foundation
import Logging

/// How messages on standard error look.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  /// One object a line, for collectors of logs.
  case json

  /// What the arguments of the process ask for: an error may come before they have been read.
  static var ofArguments: LogFormat {
    let arguments = CommandLine.arguments
    if arguments.contains("--log-format=json") { return .json }
    guard let place = arguments.firstIndex(of: "--log-format"), place + 1 < arguments.count else { return .text }
    return LogFormat(rawValue: arguments[place + 1]) ?? .text
  }

  /// Says on standard error what is wrong and does not end the command, as the arguments ask for it.
  static func warn(_ message: String, behind name: String = "tollgate: ") {
    switch ofArguments {
    case .json: write(.warning, message)
    case .text: FileHandle.standardError.write(Data("\(name)\(message)\n".utf8))
    }
  }

  /// Writes one object.
  static func write(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata = [:]) {
    var fields = ["time": Date.now.formatted(.iso8601), "level": level.rawValue, "message": message]
    for (key, value) in metadata where fields[key] == nil { fields[key] = "\(value)" }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let line = try? encoder.encode(fields) else { return }
    FileHandle.standardError.write(line + Data("\n".utf8))
  }
}

struct JSONLogHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    LogFormat.write(
      event.level, "\(event.message)", metadata.merging(event.metadata ?? [:]) { _, own in own })
  }
}
