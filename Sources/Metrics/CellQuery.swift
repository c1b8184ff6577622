internal import EventModel
internal import Lifecycle
internal import Store

/// A report's question to the cells, which answer what asks for nothing but their own dimensions.
///
/// Both ways give the same numbers; cells are read in milliseconds.
struct CellQuery {
  private let query: ReportQuery
  let source: CellSource
  private let asksForDays: Bool

  /// - Returns: `nil` where only facts can answer: cells know no client, no property and no local day, and stand for
  ///   facts under the stored rules alone.
  init?(_ query: ReportQuery) throws {
    if query.options.source == .facts { return nil }
    let used = query.by + query.options.filters.map(\.dimension)
    guard used.allSatisfy(Self.isKnown) else { return nil }
    asksForDays = query.options.from != nil || query.options.to != nil || used.contains(where: Self.isOfDay)
    if asksForDays && query.options.timeZone != "UTC" { return nil }
    guard let source = try query.facts.cells() else { return nil }
    self.query = query
    self.source = source
  }

  /// The impressions' cells, as `FROM` reads them; `nil` where only events can answer.
  func impressions() throws -> String? { try source.impressions(byDay: asksForDays) }

  private static func isKnown(_ dimension: Dimension) -> Bool {
    switch dimension {
    case .experiment, .variant, .paywall, .entryPoint, .plan, .tier, .trialKind, .day, .week, .month: true
    case .country, .platform, .store, .appVersion, .property: false
    }
  }

  private static func isOfDay(_ dimension: Dimension) -> Bool {
    switch dimension {
    case .day, .week, .month: true
    default: false
    }
  }

  /// Calls what it is given with each cell of a row.
  typealias Scan = ((CellSource.Cell) -> Void) throws -> Void

  /// Calls `body` with cells that are asked for: the row of the report that their units fall in, their origin, and a
  /// scan through those of the row that have this origin. A row has as many calls as origins.
  ///
  /// - Parameters:
  ///   - by: The row's dimensions; default: the query's.
  ///   - isFiltered: Whether `--where` holds here.
  func forEachRow(
    _ family: CellFamily, by: [Dimension]? = nil, isFiltered: Bool = true,
    _ body: (CellKey, Origin, Scan) throws -> Void
  ) throws {
    let by = by ?? query.by
    let filters = (isFiltered ? query.options.filters : []).map {
      (dimension: $0.dimension, codes: query.codes(of: $0))
    }
    let dayFilters = filters.filter { Self.isOfDay($0.dimension) }
    let keyFilters = filters.filter { !Self.isOfDay($0.dimension) }
    let apps = Set(query.apps.map(\.id))
    let dayPlaces = by.indices.filter { Self.isOfDay(by[$0]) }
    let days =
      Int64(
        query.options.from?.daysSince1970 ?? 0)...(query.options.to.map { Int64($0.daysSince1970) - 1 }
      ?? CellFamily.days.upperBound)
    for (number, origin) in source.origins where apps.contains(origin.app) {
      guard keyFilters.allSatisfy({ $0.codes.contains(code($0.dimension, origin)) }) else { continue }
      let row = CellKey(app: origin.app, codes: by.map { code($0, origin) })
      func scan(_ each: (CellSource.Cell) throws -> Void) throws {
        try source.forEachCell(family, origin: number, days: days.clamped(to: CellFamily.days)) { cell in
          if dayFilters.allSatisfy({ $0.codes.contains(Self.code($0.dimension, day: cell.day)) }) { try each(cell) }
        }
      }
      if dayPlaces.isEmpty {
        try body(row, origin) { each in try scan { each($0) } }
        continue
      }
      try scan { cell in
        var dated = row
        for place in dayPlaces { dated.codes[place] = Self.code(by[place], day: cell.day) }
        try body(dated, origin) { each in each(cell) }
      }
    }
  }

  /// The code that a dimension has in the queries on facts; 0 for days, which are not of the key.
  private func code(_ dimension: Dimension, _ cell: Origin) -> Int64 {
    switch dimension {
    case .experiment: name(cell.context.experiment)
    case .variant: name(cell.context.variant)
    case .paywall: name(cell.context.paywall)
    case .entryPoint: name(cell.context.entryPoint)
    case .plan: Int64(cell.plan)
    case .tier: cell.isFamilyTier ? 1 : 0
    case .trialKind: Int64(cell.trialKind)
    default: 0
    }
  }

  private func name(_ id: NameID) -> Int64 { query.facts.isLiteralNone(id) ? 0 : Int64(id) }

  private static func code(_ dimension: Dimension, day number: Int64) -> Int64 {
    switch dimension {
    // 1970-01-05 was a Monday.
    case .week: (number - (number + 3) % 7) * day
    case .month:
      Instant(
        startOf: {
          let date = CivilDate(daysSince1970: Int(number))
          return CivilDate(year: date.year, month: date.month, day: 1)
        }()
      ).millisecondsSince1970
    default: number * day
    }
  }
}
