internal import EventModel
internal import Lifecycle
internal import Store

/// A report's question to units by what they have in common: to stored cells, which are read in milliseconds, where they
/// know the dimensions, else to the units of facts. Both give the numbers that SQL over facts gives.
struct CellQuery {
  private let query: ReportQuery
  let source: any UnitSource
  private let asksForDays: Bool
  private let codes: DimensionCodes

  /// - Parameter families: Those that the report counts.
  /// - Returns: `nil` where only SQL over facts can answer: days of other zones than UTC, and units that are credited to
  ///   several contexts.
  init?(_ query: ReportQuery, _ families: Set<CellFamily>) throws {
    let asked = UnitQuestion(query.options, by: query.by)
    guard query.options.source != .facts, asked.isOfUnits else { return nil }
    asksForDays = asked.byDay
    self.query = query
    if asked.isOfCells, query.options.source != .units, let cells = try query.facts.cells() {
      source = cells
    } else {
      source = try query.facts.units(
        families, byClient: asked.byClient, byProperties: asked.byProperties, byDay: asked.byDay)
    }
    codes = try DimensionCodes(query, asked.dimensions)
  }

  /// The impressions' sums, as `FROM` reads them; `nil` where only events can answer.
  func impressions() throws -> String? { try source.impressions(byDay: asksForDays) }

  /// Calls what it is given with each cell of a row.
  typealias Scan = ((UnitCell) -> Void) throws -> Void

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
    let dayFilters = filters.filter { $0.dimension.isOfDay }
    let keyFilters = filters.filter { !$0.dimension.isOfDay }
    let apps = Set(query.apps.map(\.id))
    let dayPlaces = by.indices.filter { by[$0].isOfDay }
    let days =
      Int64(
        query.options.from?.daysSince1970 ?? 0)...(query.options.to.map { Int64($0.daysSince1970) - 1 }
      ?? CellFamily.days.upperBound)
    for (place, facet) in source.facets.enumerated() where apps.contains(facet.origin.app) {
      let origin = facet.origin
      guard keyFilters.allSatisfy({ $0.codes.contains(codes.code($0.dimension, facet)) }) else { continue }
      let row = CellKey(app: origin.app, codes: by.map { codes.code($0, facet) })
      func scan(_ each: (UnitCell) throws -> Void) throws {
        try source.forEachCell(family, facet: place, days: days.clamped(to: CellFamily.days)) { cell in
          if dayFilters.allSatisfy({ $0.codes.contains($0.dimension.code(ofDay: cell.day)) }) { try each(cell) }
        }
      }
      if dayPlaces.isEmpty {
        try body(row, origin) { each in try scan { each($0) } }
        continue
      }
      try scan { cell in
        var dated = row
        for place in dayPlaces { dated.codes[place] = by[place].code(ofDay: cell.day) }
        try body(dated, origin) { each in each(cell) }
      }
    }
  }
}

extension ExplainableReport {
  /// Whether stored cells have all that a report is asked for, as far as its options tell.
  public func isOfCells(_ options: ReportOptions) -> Bool {
    guard [.funnel, .trials, .savings, .cancellations].contains(self) else { return false }
    // No report's own dimensions are of clients or properties.
    return options.unit == .user && UnitQuestion(options, by: options.by ?? []).isOfCells
  }
}

/// What a report is asked for, as far as it decides what can answer.
private struct UnitQuestion {
  /// Of rows and filters.
  let dimensions: [Dimension]
  let byDay: Bool
  let byClient: Bool
  let byProperties: Bool
  /// Whether units can: not days of other zones than UTC, persons, and units that are credited to several contexts.
  let isOfUnits: Bool

  /// Whether stored cells can.
  var isOfCells: Bool { isOfUnits && !byClient && !byProperties }

  init(_ options: ReportOptions, by: [Dimension]) {
    dimensions = by + options.filters.map(\.dimension)
    byDay = options.from != nil || options.to != nil || dimensions.contains(where: \.isOfDay)
    byClient = dimensions.contains(where: \.isOfClient)
    byProperties = dimensions.contains { if case .property = $0 { true } else { false } }
    isOfUnits = options.attribution != .all && !by.contains(.person) && !(byDay && options.timeZone != "UTC")
  }
}
