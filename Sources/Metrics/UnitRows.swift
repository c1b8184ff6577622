internal import EventModel
internal import Lifecycle
internal import Store

/// The rows of a report that units fall in which are read without SQL: `--by`, `--where`, `--from` and `--to` as
/// ``ReportQuery/units(from:instant:columns:where:by:isFiltered:unitKey:)`` has them.
struct UnitRows {
  private let query: ReportQuery
  private let codes: DimensionCodes
  private let keyFilters: [(dimension: Dimension, codes: Set<Int64>)]
  private let dayFilters: [(dimension: Dimension, codes: Set<Int64>)]
  private let dayPlaces: [Int]
  /// Whether the instant of a unit says anything of its row.
  let asksForDays: Bool
  private var known: [UnitKey: CellKey?] = [:]

  init(_ query: ReportQuery) throws {
    self.query = query
    codes = try DimensionCodes(query, query.by + query.options.filters.map(\.dimension))
    let filters = query.options.filters.map { (dimension: $0.dimension, codes: Set(query.codes(of: $0))) }
    keyFilters = filters.filter { !$0.dimension.isOfDay }
    dayFilters = filters.filter { $0.dimension.isOfDay }
    dayPlaces = query.by.indices.filter { query.by[$0].isOfDay }
    asksForDays =
      !dayPlaces.isEmpty || !dayFilters.isEmpty || query.options.from != nil || query.options.to != nil
  }

  /// The row of a unit without its days; `nil` where it is filtered out.
  func undatedRow(_ facet: UnitFacet) -> CellKey? {
    guard keyFilters.allSatisfy({ $0.codes.contains(codes.code($0.dimension, facet)) }) else { return nil }
    return CellKey(app: facet.origin.app, codes: query.by.map { codes.code($0, facet) })
  }

  /// The row with the days of an instant; `nil` where these are not asked for.
  func dated(_ row: CellKey, at instant: Int64) -> CellKey? {
    if !asksForDays { return row }
    let local = query.localTime.local(instant)
    let number = local >= 0 ? local / day : (local - day + 1) / day
    if let from = query.options.from, number < Int64(from.daysSince1970) { return nil }
    if let to = query.options.to, number >= Int64(to.daysSince1970) { return nil }
    guard dayFilters.allSatisfy({ $0.codes.contains($0.dimension.code(ofDay: number)) }) else { return nil }
    if dayPlaces.isEmpty { return row }
    var row = row
    for place in dayPlaces { row.codes[place] = query.by[place].code(ofDay: number) }
    return row
  }

  /// Calls `body` once with each row that a unit is credited to (definitions 2.10).
  mutating func forEachRow(
    _ credits: ArraySlice<UnitKey>, of scan: PersonMoneyScan, at instant: Int64, _ body: (CellKey) -> Void
  ) {
    var rows: [CellKey] = []
    for credit in credits {
      let undated: CellKey?
      if let row = known[credit] {
        undated = row
      } else {
        undated = undatedRow(
          UnitFacet(origin: scan.origin(credit.origin), client: credit.client, properties: credit.properties))
        known[credit] = .some(undated)
      }
      guard let undated, let row = dated(undated, at: instant), credits.count == 1 || !rows.contains(row) else {
        continue
      }
      if credits.count > 1 { rows.append(row) }
      body(row)
    }
  }
}
