internal import Basics
internal import EventModel
public import Foundation
internal import Metrics
internal import Reports
internal import Store

/// How often the alarms would have gone off on nights of the store's past; implements definitions 16.4.
///
/// A past can hold real breaks, so the count is at least that of false alarms.
public struct AlarmReplay: Encodable, Equatable, Sendable {
  struct Found: Encodable, Equatable, Sendable {
    var night: String
    var number: String
    var app: String
    var day: String
    var value: Double
    var expected: Double
    var p: Double
    var adjustedP: Double
    fileprivate var isShare: Bool

    enum CodingKeys: String, CodingKey {
      case night, number, app, day, value, expected, p
      case adjustedP = "p_adjusted"
    }
  }

  /// The first and the last night.
  var from: String
  var to: String
  var nights: Int
  /// The nights with a number that had at least 5 of its same weekdays.
  var tested = 0
  /// The nights on which no number had them.
  var untestable = 0
  /// The nights without a newly settled day.
  var idle = 0
  /// The tested nights with an alarm.
  var alarmed = 0
  /// How many of the tested nights have an alarm if nothing happens.
  var expected = 0.0
  var perMonth: Double
  var found: [Found] = []
  /// The numbers that the last night does not watch yet.
  var unwatched: [String] = []

  /// - Parameters:
  ///   - nights: How many, of which the last has all data.
  ///   - day: Returns the day of an instant, in ms, in the time zone of nights.
  /// - Returns: `nil` without events.
  init?(
    _ config: NotifyConfig.Alarms, notes: [DayNote], _ snapshot: StoreSnapshot, nights: Int, day: (Int64) -> CivilDate
  ) throws {
    guard let newest = try config.numbers.compactMap({ try $0.newestAsOf(snapshot) }).max() else { return nil }
    func night(_ asOf: Int64) -> CivilDate { CivilDate(daysSince1970: day(asOf - 1).daysSince1970 + 1) }
    let ends = (0..<nights).reversed().map { newest - Int64($0) * 86_400_000 }
    (from, to) = ("\(night(ends.first ?? newest))", "\(night(newest))")
    (self.nights, perMonth) = (nights, config.perMonth)
    var (tested, current): ([String: Int], [String]) = ([:], [])
    for asOf in ends {
      let alarms = try NightAlarms(config, snapshot, tested: tested, current: current, notes: notes, asOf: asOf)
      (tested, current) = (alarms.tested, alarms.current)
      unwatched = alarms.unwatched.map(NightMessage.text)
      if alarms.tests == 0 {
        if alarms.unwatched.isEmpty { idle += 1 } else { untestable += 1 }
        continue
      }
      self.tested += 1
      if !alarms.found.isEmpty { alarmed += 1 }
      found += alarms.found.map { alarm in
        Found(
          night: "\(night(asOf))", number: alarm.number.name, app: alarm.app, day: "\(alarm.day)",
          value: alarm.test.value, expected: alarm.test.expected, p: alarm.test.p, adjustedP: alarm.adjustedP,
          isShare: alarm.test.isShare)
      }
    }
    expected = DayAlarm.level(perMonth: config.perMonth) * Double(self.tested)
  }

  public var json: Data { get throws { try readableJSON(self, keys: .convertToSnakeCase) } }

  /// The result as lines to read.
  public var text: String {
    var lines = ["\(counted(nights, "night")) from \(from) to \(to), \(grouped(tested)) of them tested"]
    if untestable > 0 {
      lines.append(
        "\(counted(untestable, "night")) not testable: no number had \(DayAlarm.fewest) of the same weekdays before"
      )
    }
    if idle > 0 { lines.append("\(counted(idle, "night")) without a new day that is old enough to count") }
    lines += unwatched.map { ReportMarkup.shown("Not watched yet: \($0)") }
    if tested == 0 { return lines.joined(separator: "\n") }
    lines.append(
      "\(counted(alarmed, "night")) with an alarm; by chance alone, \(String(format: "%.1f", expected)) would be expected "
        + "(per_month \(String(format: "%g", perMonth)))")
    for one in found {
      func text(_ number: Double) -> String { NightMessage.text(number, isShare: one.isShare) }
      lines.append(
        ReportMarkup.shown(
          "\(one.night)  \(one.number), \(one.app), \(one.day): \(text(one.value)), expected \(text(one.expected)), p "
            + String(format: "%.2g", one.adjustedP)))
    }
    if alarmed > 0 {
      lines.append("If something happened on such a day, such as an outage, its alarm is true.")
    }
    return lines.joined(separator: "\n")
  }
}
