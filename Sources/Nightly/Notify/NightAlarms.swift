internal import EventModel
internal import Foundation
internal import Metrics
internal import Store

/// The alarms of a night: numbers whose newest settled day stands out (definitions 16.2, 16.3).
struct NightAlarms {
  struct Alarm {
    var number: WatchedNumber
    var app: String
    var test: DayAlarm
    /// The segment where the number changed most; `nil` where none stands out.
    var driver: String?

    var subject: String { "\(number.name) \(app)" }
  }

  /// The alarms of days that no night has tested before.
  private(set) var found: [Alarm] = []
  /// The last day tested of each number and app, as days since 1970.
  private(set) var tested: [String: Int]
  /// Subjects of earlier alarms whose number has no newer settled day.
  private let standing: [String]
  /// Subjects of earlier alarms that are over.
  let ended: [String]
  /// Subjects of earlier alarms.
  private let known: Set<String>

  /// Subjects of the numbers that stand out, in byte order.
  var current: [String] { (standing + found.map(\.subject)).sorted(by: precedesInBytes) }

  /// The alarms of numbers that did not stand out before.
  var new: [Alarm] { found.filter { !known.contains($0.subject) } }

  var findings: [NightlyFinding] {
    found.map { alarm in
      NightlyFinding(
        check: .alarm, subject: alarm.subject,
        message:
          "\(alarm.subject): \(CivilDate(daysSince1970: alarm.test.day)) stands out from the same weekdays before",
        value: alarm.test.value, limit: alarm.test.expected)
    } + standing.map { NightlyFinding(check: .alarm, subject: $0, message: "\($0): stands out") }
  }

  /// - Parameters:
  ///   - tested: The last day tested of each number and app, as the previous night recorded.
  ///   - current: Subjects of the alarms that the previous night recorded.
  init(_ config: NotifyConfig.Alarms, _ snapshot: StoreSnapshot, tested previous: [String: Int], current: [String])
    throws
  {
    var tested = previous
    var seen: Set<String> = []
    var found: [Alarm] = []
    var candidates: [Alarm] = []
    for number in config.numbers {
      for series in try number.settledDays(snapshot) {
        let subject = "\(number.name) \(series.app)"
        guard let last = series.days.indices.last, let test = DayAlarm(series.days, at: last) else { continue }
        // A day is told once; older data that changed is for the digest.
        if let known = previous[subject], known >= test.day { continue }
        tested[subject] = test.day
        seen.insert(subject)
        candidates.append(Alarm(number: number, app: series.app, test: test))
      }
    }
    let isAlarm = DayAlarm.alarms(candidates.map(\.test.p), perMonth: config.perMonth)
    for (alarm, isAlarm) in zip(candidates, isAlarm) where isAlarm {
      var alarm = alarm
      let day = CivilDate(daysSince1970: alarm.test.day)
      let period = WatchedNumber.Period(
        app: alarm.app, from: day, to: CivilDate(daysSince1970: alarm.test.day + 1))
      alarm.driver = try alarm.number.driver(snapshot, period)
      found.append(alarm)
    }
    (self.tested, self.found, known) = (tested, found, Set(current))
    standing = current.filter { !seen.contains($0) }
    ended = current.filter { subject in seen.contains(subject) && !found.contains { $0.subject == subject } }
  }

  /// Tests every settled day of the store's past as its night would have.
  ///
  /// - Returns: The nights with a test, and those with an alarm.
  static func replay(_ config: NotifyConfig.Alarms, _ snapshot: StoreSnapshot) throws -> (nights: Int, alarms: Int) {
    var ofDay: [Int: [Double]] = [:]
    for number in config.numbers {
      for series in try number.settledDays(snapshot) {
        for place in series.days.indices {
          guard let test = DayAlarm(series.days, at: place) else { continue }
          ofDay[test.day, default: []].append(test.p)
        }
      }
    }
    let alarms = ofDay.values.count { DayAlarm.alarms($0, perMonth: config.perMonth).contains(true) }
    return (ofDay.count, alarms)
  }
}
