internal import Lifecycle
internal import Store

/// Reads the units of a report: from stored cells, in milliseconds, if the cells have the dimensions, or else from
/// facts. Reports count units and do not depend on which of the two they come from.
struct CellQuery {
  let query: ReportQuery
  let source: any UnitSource
  let split: UnitSplit
  let codes: DimensionCodes
  let days: DayParts

  init(_ query: ReportQuery, _ families: Set<CellFamily>) throws {
    let asked = UnitQuestion(query.options, by: query.by)
    self.query = query
    split = asked.split
    let codes = try DimensionCodes(query, asked.dimensions)
    self.codes = codes
    days = DayParts(query.localTime)
    if asked.isOfCells, let cells = try query.facts.cells() {
      source = cells
    } else {
      let (apps, filters) = (Set(query.apps.map(\.id)), CellQuery.keyFilters(query))
      // Each user's units form a group; groups of other rows are not worth building.
      let isAsked: ((UnitFacet) -> Bool)? =
        asked.split.byPerson
        ? { apps.contains($0.cellKey.app) && !Self.rows(of: $0, [], filters, codes).isEmpty } : nil
      source = try query.facts.units(families, by: asked.split, isAsked: isAsked)
    }
  }

  /// Returns the filters on what the units of a cell have in common.
  static func keyFilters(_ query: ReportQuery) -> [CodeFilter] {
    query.options.filters.filter { !$0.dimension.isPeriod }.map(query.codeFilter)
  }

  /// Returns the rows that the units of a facet are credited to, with the credits of each, without filtered ones.
  static func rows(
    of facet: UnitFacet, _ by: [Dimension], _ filters: [CodeFilter], _ codes: DimensionCodes
  ) -> [(key: RowKey, credits: [CellKey])] {
    var rows: [(key: RowKey, credits: [CellKey])] = []
    var credited = facet
    for cellKey in facet.credits {
      credited.cellKey = cellKey
      guard filters.allSatisfy({ $0.accepts(codes.code($0.dimension, credited)) }) else { continue }
      let key = RowKey(app: cellKey.app, codes: by.map { codes.code($0, credited) })
      if let place = rows.firstIndex(where: { $0.key == key }) {
        rows[place].credits.append(cellKey)
      } else {
        rows.append((key, [cellKey]))
      }
    }
    return rows
  }

  /// Calls its argument with each cell of a row.
  typealias Scan = ((UnitCell) -> Void) throws -> Void

  /// Calls `body` for the selected cells: with the report row of their units, the cell keys in this row that the units
  /// are credited to, and a scan through the units with these cell keys. A unit counts in a row once, however many
  /// credits it has there. A row has one call for each group of units.
  ///
  /// - Parameters:
  ///   - by: The row's dimensions; by default the query's.
  ///   - isFiltered: Whether `--where` applies.
  func forEachRow(
    _ family: CellFamily, by: [Dimension]? = nil, isFiltered: Bool = true,
    _ body: (RowKey, _ credits: [CellKey], Scan) throws -> Void
  ) throws {
    let by = by ?? query.by
    let filters = isFiltered ? Self.keyFilters(query) : []
    let apps = Set(query.apps.map(\.id))
    let question = DayQuestion(query, by: by, isFiltered: isFiltered)
    for (place, facet) in try source.facets(of: family) where apps.contains(facet.cellKey.app) {
      for (row, credits) in Self.rows(of: facet, by, filters, codes) {
        func scan(_ each: (UnitCell, _ localDay: Int64) throws -> Void) throws {
          try source.forEachCell(family, facet: place, days: question.utcDays) { cell in
            if !question.asksForDays { return try each(cell, 0) }
            for part in days.parts(of: cell.day) where question.isAsked(part.localDay) {
              try each(days.isUTC ? cell : cell.during(part.instants), part.localDay)
            }
          }
        }
        if question.places.isEmpty {
          try body(row, credits) { each in try scan { cell, _ in each(cell) } }
          continue
        }
        try scan { cell, day in try body(question.dated(row, day), credits) { each in each(cell) } }
      }
    }
  }
}

extension ReportKind {
  /// Returns whether stored cells can answer a report with these options.
  func isOfCells(_ options: ReportOptions) -> Bool {
    guard reads.contains(.cells), isOfUsers else { return false }
    // No report has dimensions of clients or properties by default.
    return options.unit == .user && UnitQuestion(options, by: options.by ?? []).isOfCells
  }
}

/// The part of a report's options that decides whether cells or facts can answer it.
private struct UnitQuestion {
  /// The dimensions of rows and filters.
  let dimensions: [Dimension]
  let split: UnitSplit
  /// Whether stored cells can answer. Cells combine the units of several clients, sets of properties and users, each
  /// with a single context.
  let isOfCells: Bool

  init(_ options: ReportOptions, by: [Dimension]) {
    dimensions = by + options.filters.map(\.dimension)
    var split = UnitSplit()
    split.byDay = options.from != nil || options.to != nil || dimensions.contains(where: \.isPeriod)
    split.byClient = dimensions.contains(where: \.isOfClient)
    split.byProperties = dimensions.contains(where: \.isProperty)
    split.byPerson = by.contains(.person)
    self.split = split
    isOfCells = !split.byClient && !split.byProperties && !split.byPerson && options.attribution != .all
  }
}
