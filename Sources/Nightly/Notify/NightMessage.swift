internal import EventModel
internal import Foundation
internal import Metrics
internal import Reports
internal import Store

/// Makes the message of a night (definitions 16).
struct NightMessage {
  let config: NotifyConfig
  let night: CivilDate
  /// Whether the digest is there on days without one, too.
  var isPreview = false

  /// - Parameters:
  ///   - watched: The alarms of the night; `nil` without any.
  ///   - findings: All of the night; only new ones are reported.
  ///   - failed: Called with the name of each number that cannot be computed; its line says so.
  /// - Returns: `nil` if there is nothing to report.
  func message(
    _ snapshot: StoreSnapshot, alarms watched: NightAlarms?, findings: [NightlyFinding],
    failed: (String, any Error) -> Void = { _, _ in }
  ) throws -> Message? {
    let (alarms, ended) = (watched?.new ?? [], watched?.ended ?? [])
    let new = findings.joiningDays.filter(\.isNew)
    let verdicts = config.tellsVerdicts ? new.filter { $0.check == .decision } : []
    let data = new.filter { ![.decision, .alarm].contains($0.check) }
    let isDigestDay =
      isPreview || config.digest?.rhythm == .daily
      || CivilDate.monday(ofDay: night.daysSince1970) == night.daysSince1970
    let digest = isDigestDay ? config.digest.map { lines($0, snapshot, failed) } ?? [] : []
    let sections = [
      Message.Section(
        "Alarms",
        try alarms.map { try line($0, snapshot) } + ended.map { Message.Line("\($0) is back to normal") }),
      Message.Section(
        "Verdicts",
        verdicts.map { finding in
          let subject = finding.message.split(separator: "\n").first.map(String.init) ?? finding.message
          return Message.Line(subject, address: experimentAddress(finding))
        }),
      Message.Section(config.digest?.rhythm == .daily ? "Numbers of the day" : "Numbers of the week", digest),
      Message.Section(
        "Data", data.map { Message.Line($0.message.split(separator: "\n").first.map(String.init) ?? "") }),
    ]
    if sections.allSatisfy(\.lines.isEmpty) { return nil }
    let unwatched = Message.Section("Not watched yet", watched?.unwatched.map { Message.Line(Self.text($0)) } ?? [])
    let counts = [
      (alarms.count, "alarm"), (verdicts.count, "verdict"), (digest.count, "number"), (data.count, "data finding"),
    ]
    let told = counts.filter { $0.0 > 0 }.map { counted($0.0, $0.1) }.joined(separator: ", ")
    return Message(subject: "\(night): \(told.isEmpty ? "an alarm is over" : told)", sections: sections + [unwatched])
  }

  // MARK: - Digest

  private func lines(
    _ digest: NotifyConfig.Digest, _ snapshot: StoreSnapshot, _ failed: (String, any Error) -> Void
  ) -> [Message.Line] {
    digest.numbers.flatMap { number in
      do {
        return try lines(number, isWeekly: digest.rhythm == .monday, snapshot)
      } catch {
        failed(number.name, error)
        return [Message.Line("\(number.name): not known, \("\(error)".prefix { $0 != "\n" })")]
      }
    }
  }

  private func lines(_ number: WatchedNumber, isWeekly: Bool, _ snapshot: StoreSnapshot) throws -> [Message.Line] {
    let unit = isWeekly ? "week" : "day"
    var lines: [Message.Line] = []
    let (periods, missing) = isWeekly ? try number.settledWeeks(snapshot) : try number.newestSettledDays(snapshot)
    for period in periods {
      let words = try number.compared(snapshot, period)?.comparedWords ?? []
      let days = shortDays(period.from.daysSince1970..<period.to.daysSince1970)
      if words.isEmpty, number.isOfNamedApps {
        lines.append(Message.Line("\(number.name), \(period.app): not known, there are none on \(days)"))
      }
      for one in words {
        if one.isUnknown {
          lines.append(Message.Line("\(number.name), \(period.app): not known, too few users on \(days)"))
          continue
        }
        var text = "\(number.name), \(period.app), \(days): \(one.now)"
        if let currency = one.currency {
          text += " \(currency)"
        } else if let currency = one.paidIn {
          text += " in \(currency)"
        }
        text += ", \(one.change) on the \(unit) before: \(Self.verdict(one.word))"
        if ["up", "down"].contains(one.word), let driver = try number.driver(snapshot, period) {
          text += "; most in \(driver)"
        }
        lines.append(Message.Line(text, address: address(number, period)))
      }
    }
    for one in missing {
      let from = one.from.map { "; known from \(shortDay($0)) on" } ?? ""
      lines.append(Message.Line("\(number.name), \(one.app): \(one.reason)\(from)"))
    }
    return lines
  }

  private static func verdict(_ word: String) -> String {
    switch word {
    case "chance": "chance alone can explain it"
    case "up", "down": "\(word), by more than chance explains"
    default: word
    }
  }

  // MARK: - Alarms

  private func line(_ alarm: NightAlarms.Alarm, _ snapshot: StoreSnapshot) throws -> Message.Line {
    func text(_ number: Double) -> String { Self.text(number, isShare: alarm.test.isShare) }
    let notes = config.notes.filter { $0.days.contains(alarm.test.day) && $0.isOf(alarm.app) }
    let driver = try alarm.number.driver(snapshot, alarm.period)
    return Message.Line(
      "\(alarm.number.name), \(alarm.app), \(shortDay(alarm.test.day)): \(text(alarm.test.value)), expected "
        + "\(text(alarm.test.expected)); \(driver.map { "most in \($0)" } ?? "no single segment stands out")"
        + notes.map { "; note: \($0.text)" }.joined(),
      address: address(alarm.number, alarm.period))
  }

  /// A number that is not watched yet, why, and from which day it will be.
  static func text(_ unwatched: NightAlarms.Unwatched) -> String {
    "\(unwatched.name), \(unwatched.app): \(unwatched.reason)"
      + (unwatched.from.map { "; watched from \(shortDay($0)) on" } ?? "")
  }

  static func text(_ number: Double, isShare: Bool) -> String {
    isShare ? String(format: "%.1f%%", 100 * number) : grouped(Int(number.rounded()))
  }

  // MARK: - Addresses

  private func address(_ number: WatchedNumber, _ period: WatchedNumber.Period) -> String? {
    address("reports/\(number.reportName)", number.parameters(on: period))
  }

  private func experimentAddress(_ finding: NightlyFinding) -> String? {
    let subject = finding.subject.split(separator: ":").first ?? ""
    guard let slash = subject.firstIndex(of: "/") else { return nil }
    return address(
      "reports/experiment",
      [("name", String(subject[subject.index(after: slash)...])), ("app", String(subject[..<slash]))])
  }

  private func address(_ path: String, _ query: [(String, String)]) -> String? {
    guard let base = config.baseAddress, var parts = URLComponents(string: "\(base)/\(path)") else { return nil }
    parts.queryItems = query.map { URLQueryItem(name: $0.0, value: $0.1) }
    // The page reads a plus as a space.
    parts.percentEncodedQuery = parts.percentEncodedQuery?.replacing("+", with: "%2B")
    return parts.string
  }
}
