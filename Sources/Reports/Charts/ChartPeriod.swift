import EventModel
public import Metrics

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

/// The most periods of a picture over time, and the most marks: beyond, it is neither legible nor small.
private let (mostPeriods, mostMarks) = (160, 450)

extension Report {
  /// The period that pictures of the rows have, where the rows have more periods than can be drawn; `nil` for their own.
  public var drawnPeriod: Dimension? {
    let keys = columns.indices.filter { columns[$0].kind == .key }
    guard let place = keys.first(where: { Dimension.period(columns[$0].name) != nil }),
      let own = Dimension.period(columns[place].name), let start = Dimension.periods.firstIndex(of: own)
    else { return nil }
    let currency = keys.first { columns[$0].name == "currency" }
    let status = keys.first { columns[$0].name == "status" }
    let main = TableBuilder.currency(self)
    // As pictures have them.
    let shown = rows.filter { row in
      currency.map { row[$0].textValue == main } ?? true && status.map { row[$0].textValue == "all" } ?? true
    }
    let days = Set(Set(shown.compactMap { $0[place].textValue }).compactMap(own.firstDay(ofPeriod:)))
    let series = min(chartSeriesLimit, (shown.count + days.count - 1) / max(1, days.count))
    func fits(_ period: Dimension) -> Bool {
      let count = Set(days.map(period.first(of:))).count
      return count <= mostPeriods && count * series <= mostMarks
    }
    return fits(own) ? nil : Dimension.periods[(start + 1)...].first(where: fits) ?? .year
  }
}
