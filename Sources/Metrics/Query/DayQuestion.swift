internal import Store

/// The days that a report selects by `--by`, `--where`, `--from` and `--to`.
struct DayQuestion {
  private let by: [Dimension]
  /// The places of the day dimensions among the row's dimensions.
  let places: [Int]
  private let filters: [CodeFilter]
  private let days: ClosedRange<Int64>
  /// Whether a unit's row depends on its day.
  let asksForDays: Bool
  /// The UTC days that may have units of selected days.
  let utcDays: ClosedRange<Int64>

  init(_ query: ReportQuery, by: [Dimension], isFiltered: Bool) {
    self.by = by
    places = by.indices.filter { by[$0].isPeriod }
    filters = (isFiltered ? query.options.filters : []).filter(\.dimension.isPeriod).map(query.codeFilter)
    let (from, to) = (query.options.from?.daysSince1970, query.options.to?.daysSince1970)
    let first = from.map(Int64.init) ?? Int64(Int32.min)
    let last = max(first - 1, to.map { Int64($0) - 1 } ?? Int64(Int32.max))
    asksForDays = !places.isEmpty || !filters.isEmpty || from != nil || to != nil
    days = first <= last ? first...last : -2...(-2)
    utcDays = (days.lowerBound - 1...days.upperBound + 1).clamped(to: CellFamily.days)
  }

  func isAsked(_ day: Int64) -> Bool {
    days.contains(day) && filters.allSatisfy { $0.accepts($0.dimension.code(ofDay: day)) }
  }

  func dated(_ row: RowKey, _ day: Int64) -> RowKey {
    var row = row
    for place in places { row.codes[place] = by[place].code(ofDay: day) }
    return row
  }
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
