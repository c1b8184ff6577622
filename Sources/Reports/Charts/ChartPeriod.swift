import EventModel
import Metrics

/// A period as a chart names it.
struct ChartPeriod {
  /// Below its bar, such as `5 Jan`.
  var label: String
  /// In full, such as `Week of 5 Jan 2026`.
  var title: String
  /// The days that the numbers are of, such as `15 of 31 days`, where it is not whole; of a day, the hours.
  var note: String?

  /// - Parameters:
  ///   - key: As reports name it, such as `2026-03-02` or `2026-03`.
  ///   - dimension: The dimension, such as `month`.
  ///   - data: The days of the data; `nil` where they are not known.
  ///   - hasYear: Whether the label names the year, as where periods are of several.
  init(_ key: String, of dimension: String, data: CoveredDays?, hasYear: Bool = false) {
    guard let period = Dimension.period(dimension), let date = period.firstDay(ofPeriod: key) else {
      (label, title) = (key, key)
      return
    }
    let first = date.daysSince1970
    let end = period.next(date).daysSince1970
    switch dimension {
    case "month":
      let name = shortMonthNames[date.month - 1]
      (label, title) = (hasYear ? "\(name) \(date.year)" : name, "\(name) \(date.year)")
    case "quarter":
      let name = key.split(separator: "-").reversed().joined(separator: " ")
      (label, title) = (hasYear ? name : String(name.prefix(2)), name)
    case "year": (label, title) = (key, key)
    case "week":
      let name = shortDay(first, hasYear: hasYear)
      (label, title) = (name, "Week of \(name)")
    default: (label, title) = (shortDay(first, hasYear: hasYear), shortDay(first, hasYear: true))
    }
    note = data?.part(of: first..<end).map { "\($0.covered) of \($0.whole) \($0.unit)s" }
  }
}

/// A day as in `15 Mar` or `15 Mar 2026`.
///
/// - Parameter day: Since 1970.
public func shortDay(_ day: Int, hasYear: Bool = false) -> String {
  shortDayText(CivilDate(daysSince1970: day), hasYear: hasYear)
}

/// Days as in `16 Feb to 15 Mar 2026`.
///
/// - Parameter days: Since 1970.
public func shortDays(_ days: Range<Int>, hasYear: Bool = false) -> String {
  guard let last = days.last else { return "no days" }
  let (a, b) = (CivilDate(daysSince1970: days.lowerBound), CivilDate(daysSince1970: last))
  if days.count == 1 { return shortDay(last, hasYear: hasYear) }
  return
    "\(shortDay(days.lowerBound, hasYear: a.year != b.year)) to \(shortDay(last, hasYear: hasYear || a.year != b.year))"
}
