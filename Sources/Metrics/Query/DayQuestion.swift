internal import Lifecycle
internal import Store

/// What a report asks of days: `--by`, `--where`, `--from` and `--to`.
struct DayQuestion {
  private let by: [Dimension]
  /// The dimensions of days among those of the rows.
  let places: [Int]
  private let filters: [(dimension: Dimension, codes: Set<Int64>)]
  private let days: ClosedRange<Int64>
  /// Whether the day of a unit says anything of its row.
  let asksForDays: Bool
  /// Those that may have units of days that are asked for.
  let utcDays: ClosedRange<Int64>

  init(_ query: ReportQuery, by: [Dimension], isFiltered: Bool) {
    self.by = by
    places = by.indices.filter { by[$0].isOfDay }
    filters = (isFiltered ? query.options.filters : []).filter { $0.dimension.isOfDay }.map {
      ($0.dimension, Set(query.codes(of: $0)))
    }
    let (from, to) = (query.options.from?.daysSince1970, query.options.to?.daysSince1970)
    let first = from.map(Int64.init) ?? CellFamily.days.lowerBound - 1
    let last = max(first - 1, to.map { Int64($0) - 1 } ?? CellFamily.days.upperBound + 1)
    asksForDays = !places.isEmpty || !filters.isEmpty || from != nil || to != nil
    days = first <= last ? first...last : -2...(-2)
    utcDays = (days.lowerBound - 1...days.upperBound + 1).clamped(to: CellFamily.days)
  }

  func isAsked(_ day: Int64) -> Bool {
    days.contains(day) && filters.allSatisfy { $0.codes.contains($0.dimension.code(ofDay: day)) }
  }

  func dated(_ row: CellKey, _ day: Int64) -> CellKey {
    var row = row
    for place in places { row.codes[place] = by[place].code(ofDay: day) }
    return row
  }
}

/// The parts of UTC days that lie in one local day, found once a day.
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
