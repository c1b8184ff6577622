internal import EventModel
internal import Store

/// The local days from one day to the day before another, in days since 1970.
struct LocalDays {
  let range: Range<Int64>

  init(from: CivilDate?, to: CivilDate?) {
    let first = from.map { Int64($0.daysSince1970) } ?? Int64(Int32.min)
    range = first..<max(first, to.map { Int64($0.daysSince1970) } ?? Int64(Int32.max))
  }
}

/// Returns ascending days as spans of consecutive ones.
func daysInRow(_ days: [Int]) -> [ClosedRange<Int>] {
  days.reduce(into: []) { spans, day in
    if let last = spans.last, last.upperBound + 1 == day {
      spans[spans.count - 1] = last.lowerBound...day
    } else {
      spans.append(day...day)
    }
  }
}

/// The days that a report selects by `--by`, `--where`, `--from` and `--to`.
struct DayQuestion {
  private let by: [Dimension]
  private let localTime: LocalTime
  /// The places of the day dimensions among the row's dimensions.
  let places: [Int]
  private let filters: [CodeFilter]
  private let days: Range<Int64>
  /// Whether a unit's row depends on its day.
  let asksForDays: Bool
  /// The UTC days that may have units of selected days.
  let utcDays: ClosedRange<Int64>

  /// - Parameters:
  ///   - isFiltered: Whether `--where` applies.
  ///   - hasEnds: Whether `--from` and `--to` apply.
  init(_ query: ReportQuery, by: [Dimension], isFiltered: Bool = true, hasEnds: Bool = true) {
    self.by = by
    localTime = query.localTime
    places = by.indices.filter { by[$0].isPeriod }
    filters = (isFiltered ? query.options.filters : []).filter(\.dimension.isPeriod).map(query.codeFilter)
    let (from, to) = hasEnds ? (query.options.from, query.options.to) : (nil, nil)
    asksForDays = !places.isEmpty || !filters.isEmpty || from != nil || to != nil
    days = LocalDays(from: from, to: to).range
    utcDays = (days.lowerBound - 1...days.upperBound).clamped(to: CellFamily.days)
  }

  func isAsked(_ day: Int64) -> Bool {
    days.contains(day) && filters.allSatisfy { $0.accepts($0.dimension.code(ofDay: day)) }
  }

  func dated(_ row: RowKey, _ day: Int64) -> RowKey {
    var row = row
    for place in places { row.codes[place] = by[place].code(ofDay: day) }
    return row
  }

  /// Returns the row of a unit of a local day; `nil` if the day is not selected.
  func row(_ row: RowKey, on day: @autoclosure () -> Int64) -> RowKey? {
    if !asksForDays { return row }
    let day = day()
    return isAsked(day) ? dated(row, day) : nil
  }

  /// Returns the row of a unit at an instant; `nil` if its day is not selected.
  func row(_ row: RowKey, at instant: Int64) -> RowKey? { self.row(row, on: localTime.day(of: instant)) }
}

/// The parts of UTC days that lie in one local day, computed once for each day.
final class DayParts {
  private let localTime: LocalTime
  let isUTC: Bool
  private var known: [Int64: [LocalTime.Part]] = [:]

  init(_ localTime: LocalTime) {
    self.localTime = localTime
    isUTC = localTime.isUTC
  }

  func parts(of day: Int64) -> [LocalTime.Part] {
    if let parts = known[day] { return parts }
    let parts = localTime.parts(ofDay: day)
    known[day] = parts
    return parts
  }
}
