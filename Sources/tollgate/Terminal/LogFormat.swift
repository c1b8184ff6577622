import ArgumentParser
import Foundation
import Logging
import Reports

/// The format of messages on standard error.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  /// One JSON object per line, for log collectors.
  case json

  /// The format in the process's arguments, because an error may occur before they have been parsed.
  static var ofArguments: LogFormat {
    let arguments = CommandLine.arguments
    if arguments.contains("--log-format=json") { return .json }
    guard let place = arguments.firstIndex(of: "--log-format"), place + 1 < arguments.count else { return .text }
    return LogFormat(rawValue: arguments[place + 1]) ?? .text
  }

  /// Writes a warning to standard error, in the format of the process's arguments.
  static func warn(_ message: String, behind name: String = "tollgate: ") {
    switch ofArguments {
    case .json: write(.warning, message)
    case .text: FileHandle.standardError.write(Data("\(name)\(ReportMarkup.shown(linesOf: message))\n".utf8))
    }
  }

  /// Writes one JSON object.
  static func write(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata = [:]) {
    let message = ReportMarkup.shown(linesOf: message)
    var fields = ["time": Date.now.formatted(.iso8601), "level": level.rawValue, "message": message]
    for (key, value) in metadata where fields[key] == nil {
      fields[key] = ReportMarkup.shown(linesOf: "\(value)")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let line = try? encoder.encode(fields) else { return }
    FileHandle.standardError.write(line + Data("\n".utf8))
  }
}

/// Prints lines for a reader, with what a terminal would act on escaped.
func printShown(_ text: some StringProtocol, terminator: String = "\n") {
  print(ReportMarkup.shown(linesOf: String(text)), terminator: terminator)
}

/// Writes lines for a reader, with what a terminal would act on escaped, or JSON.
struct ShownLogHandler: LogHandler {
  let label: String
  let format: LogFormat
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let metadata = metadata.merging(event.metadata ?? [:]) { _, own in own }
    if format == .json { return LogFormat.write(event.level, "\(event.message)", metadata) }
    var event = event
    event.message = "\(ReportMarkup.shown(linesOf: "\(event.message)"))"
    event.metadata = metadata.isEmpty ? nil : metadata.mapValues { "\(ReportMarkup.shown(linesOf: "\($0)"))" }
    StreamLogHandler.standardError(label: label).log(event: event)
  }
}
