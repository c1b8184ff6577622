internal import EventModel
internal import Foundation
internal import Metrics
internal import Store

/// The alarms of a night: numbers of which a day that has settled since the last night stands out (definitions 16.2, 16.3).
struct NightAlarms {
  struct Alarm {
    var number: WatchedNumber
    var app: String
    var test: DayAlarm
    /// Over all tests of the night.
    var adjustedP = 1.0
    /// Whether no later day of the number has settled.
    var isNewest: Bool

    var subject: String { "\(number.name) \(app)" }
    var day: CivilDate { CivilDate(daysSince1970: test.day) }
    var period: WatchedNumber.Period {
      WatchedNumber.Period(app: app, from: day, to: CivilDate(daysSince1970: test.day + 1))
    }
  }

  /// A number that has too little past to be tested.
  struct Unwatched {
    var name: String
    var app: String
    var reason: String
    /// The first day that can be tested, since 1970; `nil` if that is not known.
    var from: Int?
  }

  /// The most days of one number that a night tests, after nights that were missed.
  private static let mostDays = 7

  /// The alarms of days that no night has tested before.
  private(set) var found: [Alarm] = []
  /// The numbers whose newest settled day cannot be tested.
  private(set) var unwatched: [Unwatched] = []
  /// How many days were tested, each of one number.
  let tests: Int
  /// The last day tested of each number and app, as days since 1970.
  private(set) var tested: [String: Int]
  /// Subjects of earlier alarms whose number has no newer settled day.
  private let standing: [String]
  /// Subjects of earlier alarms that are over.
  let ended: [String]
  /// Subjects of earlier alarms.
  private let known: Set<String>

  /// Subjects of the numbers whose newest day stands out, in byte order.
  var current: [String] { (standing + found.filter(\.isNewest).map(\.subject)).sorted(by: precedesInBytes) }

  /// The alarms of numbers that did not stand out before.
  var new: [Alarm] { found.filter { !known.contains($0.subject) } }

  var findings: [NightlyFinding] {
    found.map { alarm in
      NightlyFinding(
        check: .alarm, subject: alarm.isNewest ? alarm.subject : "\(alarm.subject) \(alarm.day)",
        message: "\(alarm.subject): \(alarm.day) stands out from the same weekdays before",
        value: alarm.test.value, limit: alarm.test.expected)
    } + standing.map { NightlyFinding(check: .alarm, subject: $0, message: "\($0): stands out") }
  }

  /// - Parameters:
  ///   - tested: The last day tested of each number and app, as the previous night recorded.
  ///   - current: Subjects of the alarms that the previous night recorded.
  ///   - notes: Those with days that are excluded are left out of references.
  ///   - asOf: The end of the data of a night in the past, in ms; `nil` for all data.
  init(
    _ config: NotifyConfig.Alarms, _ snapshot: StoreSnapshot, tested previous: [String: Int], current: [String],
    notes: [DayNote], asOf: Int64? = nil
  ) throws {
    var tested = previous
    var seen: Set<String> = []
    var candidates: [Alarm] = []
    for number in config.numbers {
      for series in try number.settledDays(snapshot, asOf: asOf) {
        let subject = "\(number.name) \(series.app)"
        guard let newest = series.days.last?.day else {
          if let reason = series.reason {
            unwatched.append(Unwatched(name: number.name, app: series.app, reason: reason))
          }
          continue
        }
        let excluded = Set(notes.filter { $0.isExcluded && $0.isOf(series.app) }.flatMap(\.days))
        // A day is told once; older data that changed is for the digest.
        let known = previous[subject] ?? newest - 1
        for place in series.days.indices.suffix(Self.mostDays) where series.days[place].day > known {
          guard let test = DayAlarm(series.days, at: place, without: excluded) else { continue }
          tested[subject] = test.day
          seen.insert(subject)
          candidates.append(Alarm(number: number, app: series.app, test: test, isNewest: test.day == newest))
        }
        let reference = DayAlarm.reference(series.days, at: series.days.count - 1, without: excluded).count
        if reference < DayAlarm.fewest {
          unwatched.append(
            Unwatched(
              name: number.name, app: series.app,
              reason: "\(reference) of \(DayAlarm.fewest) same weekdays before are known",
              from: DayAlarm.firstTested(after: series.days, without: excluded)))
        }
      }
    }
    let level = DayAlarm.level(perMonth: config.perMonth)
    for (alarm, p) in zip(candidates, DayAlarm.adjusted(candidates.map(\.test.p))) where p <= level {
      var alarm = alarm
      alarm.adjustedP = p
      found.append(alarm)
    }
    (self.tested, known, tests) = (tested, Set(current), candidates.count)
    standing = current.filter { !seen.contains($0) }
    let stands = Set(found.filter(\.isNewest).map(\.subject))
    ended = current.filter { seen.contains($0) && !stands.contains($0) }
  }
}
