internal import EventModel
internal import Foundation
internal import Lifecycle
public import Store

extension Health {
  /// Checks for days without events, and for events that arrived late or are dated ahead of their arrival.
  ///
  /// - Parameter newestDay: The first millisecond of the newest day of any app; `nil` not to check whether the app's data
  ///   end long before.
  static func arrivals(
    _ query: ReportQuery, _ app: StoreSnapshot.App, newestDay: Int64? = nil
  ) throws -> [HealthCheck] {
    let asOf = query.asOf(of: app)
    let sources = try query.snapshot.arrivals(of: app.id, before: asOf)
    let days = Set(sources.flatMap(\.days)).sorted()
    let span = days.first.flatMap { first in days.last.map { Int(($0 - first) / day) + 1 } } ?? 0
    var checks = [
      HealthCheck(
        app.name, "days without an event", span - days.count, of: span, affects: HealthCheck.all,
        "files may be missing: numbers of those days are too low")
    ]
    checks[0].days = Self.days(missingFrom: days, last: days.last)
    checks[0].expectsCases = expectedDays(of: span, events: sources.reduce(0) { $0 + $1.events }, on: days.count) > 0.05
    if let newestDay, let ended = ended(app, days, newestDay: newestDay) { checks.append(ended) }
    checks += sources.map { missingDays(app, $0, newest: days.last ?? asOf) }

    func sum(_ count: (StoreSnapshot.SourceLateness) -> Int) -> Int { sources.reduce(0) { $0 + count($1) } }
    // Most of those far ahead lie after the end of the data.
    let later = asOf == app.newestAsOf ? try query.snapshot.arrivals(of: app.id, from: asOf, before: .max) : []
    let ahead = later.reduce(0) { $0 + $1.farAhead }
    let stamped = sum(\.stamped)
    let late = "reports made earlier did not include them: numbers of the last days still grow"
    let isUnstamped = stamped == 0
    func check(
      _ name: String, _ cases: Int, of all: Int? = nil, warnAbove share: Double, _ meaning: String
    ) -> HealthCheck {
      HealthCheck(
        app.name, name, cases, of: all ?? stamped, warnAbove: share, affects: HealthCheck.all,
        isUnstamped ? "events have no received_at, so lateness is unknown" : meaning)
    }
    return checks + [
      check("events received 1 to 2 d late", sum(\.overOneDay), warnAbove: 0.05, late),
      check("events received 2 to 7 d late", sum(\.overTwoDays), warnAbove: 0.02, late),
      check("events received 7 to 30 d late", sum(\.overSevenDays), warnAbove: 0.01, late),
      check("events received over 30 d late", sum(\.overThirtyDays), warnAbove: 0.01, late),
      check(
        "events received over 1 min before they happened", sum(\.ahead), warnAbove: 0.01,
        "clocks of clients run ahead: times, and which paywall view gets the credit, may be wrong"),
      check(
        "events received over 1 d before they happened", sum(\.farAhead) + ahead, of: stamped + ahead,
        warnAbove: 0,
        "clocks of clients are wrong: these events do not set the end of the data, and most lie after it (1.1)"),
    ]
  }

  /// Says which apps have events that are dated after today.
  public static func datesAhead(_ snapshot: StoreSnapshot) throws -> [String] {
    let now = Int64(Date().timeIntervalSince1970 * 1_000)
    return try snapshot.eventsAhead(from: now + day).map { app, events, last in
      "\(counted(events, "event")) of \(app) \(events == 1 ? "is" : "are") dated after today, up to "
        + "\(CivilDate(daysSince1970: Int(floorDays(last)))), and reports count up to that day. Check the column of the "
        + "time, its form (`--dates`, `--epoch` of `tollgate init`) and the clocks that wrote it"
    }
  }

  /// Returns a check of the days from an app's last event to the newest of another app, if they are at least a week and
  /// more than the app was ever without an event before.
  ///
  /// - Parameter days: Those with events, as their first milliseconds, ascending.
  private static func ended(_ app: StoreSnapshot.App, _ days: [Int64], newestDay: Int64) -> HealthCheck? {
    guard let first = days.first, let last = days.last else { return nil }
    let missing = Int((newestDay - last) / day)
    let longest = zip(days, days.dropFirst()).map { Int(($1 - $0) / day) - 1 }.max() ?? 0
    guard EndedData.hasEnded(Int(floorDays(last)), before: Int(floorDays(newestDay))), missing > longest else {
      return nil
    }
    var check = HealthCheck(
      app.name, sinceLastEvent, missing, of: Int((newestDay - first) / day) + 1, affects: HealthCheck.all,
      "other apps have newer events: files are missing or the app has stopped; its numbers end before theirs")
    check.days = Array(Int(floorDays(last)) + 1...Int(floorDays(newestDay)))
    return check
  }

  /// The check of ``ended(_:_:newestDay:)``.
  static let sinceLastEvent = "days since the last event"

  /// Checks for days without events of one source, from its first day to the app's newest. The newest day may not be
  /// over, so it counts only if the source has it. A source with few events a day is expected to have some days without
  /// any, as is one with few in its first week: conversions wait for the first trials to end.
  private static func missingDays(
    _ app: StoreSnapshot.App, _ source: StoreSnapshot.SourceLateness, newest: Int64
  ) -> HealthCheck {
    let first = source.days.first ?? newest
    let last = max(source.days.last ?? newest, newest - day, first)
    let span = Int((last - first) / day) + 1
    let missing = span - source.days.count
    let expected = expectedDays(of: span, events: source.events, on: source.days.count)
    let missed = days(missingFrom: source.days, last: last)
    let firstWeek = source.eventsOfDays.prefix(source.days.count { $0 < first + 7 * day })
    let isStart =
      missed.allSatisfy { $0 < Int(floorDays(first)) + 7 }
      && expectedDays(of: 7, events: firstWeek.reduce(0, +), on: firstWeek.count) > 0.05
    let isRare = expected > 0.05 || isStart
    var check = HealthCheck(
      app.name, "days without an event of \(source.source)", missing, of: span, affects: affects(source.source),
      isRare
        ? "it has few events, so some days have none; check that no files are missing"
        : "files of this source may be missing: numbers of those days are too low")
    check.days = missed
    check.expectsCases = isRare
    if missing > 0, isStart || isRare && Double(missing) < 3 * expected + 3 { check.severity = .notice }
    return check
  }

  /// Returns how many of `span` days have no event by chance.
  ///
  /// - Parameter days: The number of days with events.
  private static func expectedDays(of span: Int, events: Int, on days: Int) -> Double {
    // A Poisson count of this mean is 0 with probability exp(-mean).
    Double(span) * exp(-Double(events) / Double(max(1, days)))
  }

  /// Returns the days from the first to a last one that have no event.
  ///
  /// - Parameters:
  ///   - days: Those with events, as their first milliseconds, ascending.
  ///   - last: The first millisecond of the last day.
  /// - Returns: Days since 1970.
  private static func days(missingFrom days: [Int64], last: Int64?) -> [Int] {
    guard let first = days.first, let last else { return [] }
    let known = Set(days)
    return stride(from: first, through: last, by: Int(day)).filter { !known.contains($0) }.map { Int(floorDays($0)) }
  }

  /// Returns the reports that count the events of a source.
  static func affects(_ source: String) -> [String] {
    switch source {
    case "paywall-impressions": HealthCheck.byContext + ["experiment"]
    case "trial-starts": ["funnel", "trials", "cancellations"]
    case "conversions": HealthCheck.byContext + HealthCheck.ofMoney + ["retention"]
    case "churn": ["retention", "cancellations"] + HealthCheck.ofMoney + ["trials"]
    case "activity": ["activity", "experiment"]
    default: HealthCheck.all
    }
  }
}
