internal import Basics
internal import Foundation
internal import Metrics
internal import Reports

extension NotifyConfig {
  /// - Parameter request: Returns the request of a report's words.
  /// - Throws: ``ConfigurationError`` with file, line, key and the expected value.
  init(_ value: YAMLValue, request: (YAMLValue) throws -> ReportRequest) throws {
    let keys = try value.members(["digest", "verdicts", "alarms", "to", "base_url"])
    if let value = keys["verdicts"] { tellsVerdicts = try value.boolean() }
    if let value = keys["base_url"] {
      let text = try value.text()
      guard let url = URL(string: text), ["http", "https"].contains(url.scheme ?? ""), url.host != nil else {
        throw value.failure("is \(text), but must be the dashboard's address, such as https://numbers.example.com")
      }
      baseAddress = text.hasSuffix("/") ? String(text.dropLast()) : text
    }
    if let value = keys["digest"] {
      let own = try value.members(["at", "numbers"])
      var digest = Digest()
      if let value = own["at"] {
        let text = try value.text()
        guard let rhythm = Rhythm(rawValue: text) else {
          throw value.failure("is \(text), but must be monday or daily")
        }
        digest.rhythm = rhythm
      }
      guard let numbers = own["numbers"] else { throw value.failure("has no numbers, but must list some") }
      digest.numbers = try numbers.elements().map { try Self.number($0, request) }
      self.digest = digest
    }
    if let value = keys["alarms"] {
      let own = try value.members(["numbers", "per_month"])
      var alarms = Alarms(numbers: digest?.numbers ?? [])
      if let value = own["per_month"] {
        alarms.perMonth = try value.number("above 0, at most 30") { $0 > 0 && $0 <= 30 }
      }
      if let numbers = own["numbers"] {
        alarms.numbers = try numbers.elements().map { try Self.number($0, request) }
      }
      if alarms.numbers.isEmpty { throw value.failure("has no numbers, and there is no digest to take them from") }
      self.alarms = alarms
    }
    guard let to = keys["to"] else {
      throw value.failure("has no to, but must list files to write, such as [{format: text, file: message.txt}]")
    }
    recipients = try to.elements().map(Self.recipient)
    if recipients.isEmpty {
      throw to.failure("is empty, but must list files to write, such as [{format: text, file: message.txt}]")
    }
    let names = ((digest?.numbers ?? []) + (alarms?.numbers ?? [])).map(\.name)
    if names.isEmpty && !tellsVerdicts { throw value.failure("reports nothing: give digest, alarms or verdicts") }
  }

  private static func number(
    _ value: YAMLValue, _ request: (YAMLValue) throws -> ReportRequest
  ) throws -> WatchedNumber {
    let keys = try value.members(["name", "report", "column"])
    guard let report = keys["report"], let column = keys["column"] else {
      throw value.failure("must have a report, such as `funnel --app steps`, and a column")
    }
    let asked = try request(report)
    let name = try keys["name"]?.text() ?? "\(try report.text()) \(try column.text())"
    do {
      return try WatchedNumber(name: name, asked, column: try column.text())
    } catch let error as OptionError {
      throw try report.failure(ofReport: "\(error)")
    }
  }

  private static func recipient(_ value: YAMLValue) throws -> Recipient {
    let keys = try value.members(["format", "file", "command"])
    guard let file = keys["file"] else { throw value.failure("has no file, but must name the file to write") }
    var recipient = Recipient(file: try file.text())
    if let value = keys["format"] { recipient.format = try value.choice() }
    if let value = keys["command"] {
      recipient.command = try value.elements().map { try $0.text() }
      if recipient.command.isEmpty { throw value.failure("is empty, but must be a program with its arguments") }
    }
    return recipient
  }
}
