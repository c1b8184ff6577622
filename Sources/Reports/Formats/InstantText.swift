import EventModel
import Foundation
import Metrics

/// An instant in UTC by RFC 3339: `2026-03-01T00:00:00.000Z`.
func instantText(_ millisecondsSince1970: Int64) -> String {
  Instant(millisecondsSince1970: millisecondsSince1970).description
}

/// The names of months as dates in tables have them.
let shortMonthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/// A day as in `15 Mar` or `15 Mar 2026`.
func shortDayText(_ day: CivilDate, hasYear: Bool = true) -> String {
  let text = "\(day.day) \(shortMonthNames[day.month - 1])"
  return hasYear ? "\(text) \(day.year)" : text
}

/// The day that an instant, in milliseconds since 1970, lies on in a zone.
///
/// - Parameter zone: An IANA name.
func localDay(_ millisecondsSince1970: Int64, zone: String) -> CivilDate {
  CivilDate(
    daysSince1970: Int((Double(localTime(millisecondsSince1970, zone: zone)) / 86_400_000).rounded(.down)))
}

/// The local time of an instant, both in milliseconds since 1970.
///
/// - Parameter zone: An IANA name.
func localTime(_ millisecondsSince1970: Int64, zone: String) -> Int64 {
  let instant = Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1_000)
  return millisecondsSince1970 + Int64(TimeZone(identifier: zone)?.secondsFromGMT(for: instant) ?? 0) * 1_000
}

/// The end of the data, such as `data to 31 Oct 2026, steps to 21 Sep`; `nil` without data.
///
/// - Parameter localDay: Returns the day that an instant lies on.
func dataEnd(_ apps: [Report.AppInstant], localDay: (Int64) -> CivilDate) -> String? {
  guard let newest = apps.map(\.asOf).max() else { return nil }
  let last = localDay(newest - 1)
  let ended = Report.ended(apps)
  let others = ended.prefix(2).map { app in
    let day = localDay(app.asOf - 1)
    return ", \(app.app) to \(shortDayText(day, hasYear: day.year != last.year))"
  }
  let more = ended.count > others.count ? ", \(ended.count - others.count) more end before" : ""
  return "data to \(shortDayText(last))" + others.joined() + more
}
