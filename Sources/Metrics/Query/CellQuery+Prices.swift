internal import Lifecycle
internal import Store

/// Prices shown by impressions, and the rows of single purchases, whose events break ties between equally frequent
/// prices.
extension CellQuery {
  /// Calls `body` with the impressions that showed both prices, for each selected row.
  ///
  /// - Parameter fromEvents: Whether to read events only, not cells.
  /// - Returns: Whether the instants of the newest impressions are known in all cases.
  func forEachShownPrice(
    fromEvents: Bool = false, _ body: (RowKey, ShownPrices) throws -> Void
  ) throws -> Bool {
    var shown: [ShownPrices]?
    if !fromEvents, let cells = source as? CellSource, days.isUTC || !split.byDay {
      shown = try cells.shownPrices(byDay: split.byDay)
    }
    let areOfCells = shown != nil
    let rows = ShownRows(query, codes)
    for prices in try shown
      ?? query.facts.shownPrices(by: split, timeZone: query.options.timeZone, localDay: query.localTime.day)
    {
      if let row = rows.row(of: prices) { try body(row, prices) }
    }
    return !areOfCells
  }

  /// Calls `body` with each impression at the given instants that showed both prices, for each selected row.
  func forEachShownPrice(
    at instants: Set<Int64>, _ body: (RowKey, ShownPrices, _ id: String) throws -> Void
  ) throws {
    let rows = ShownRows(query, codes)
    try query.facts.forEachShownPrice(at: instants, by: split, localDay: query.localTime.day) { prices, id in
      if let row = rows.row(of: prices) { try body(row, prices, id) }
    }
  }

  private struct ShownRows {
    private let apps: Set<NameID>
    private let by: [Dimension]
    private let filters: [CodeFilter]
    private let codes: DimensionCodes
    private let question: DayQuestion

    init(_ query: ReportQuery, _ codes: DimensionCodes) {
      apps = Set(query.apps.map(\.id))
      by = query.by
      filters = CellQuery.keyFilters(query)
      self.codes = codes
      question = DayQuestion(query, by: query.by)
    }

    func row(of prices: ShownPrices) -> RowKey? {
      guard apps.contains(prices.facet.cellKey.app),
        let row = CellQuery.rows(of: prices.facet, by, filters, codes).first?.key
      else { return nil }
      return question.row(row, on: prices.day)
    }
  }

  /// Returns the rows of a user's purchase.
  func rows(
    of purchase: PersonUnits.Purchase, _ credits: [CellKey], by: [Dimension], isFiltered: Bool
  ) -> [(key: RowKey, credits: [CellKey])] {
    let facet = UnitFacet(credits: credits, client: purchase.key.client, properties: purchase.key.properties)
    let question = DayQuestion(query, by: by, isFiltered: isFiltered)
    let day = query.localTime.day(of: purchase.unit.start)
    guard question.isAsked(day), query.apps.contains(where: { $0.id == facet.cellKey.app }) else { return [] }
    return Self.rows(of: facet, by, isFiltered ? Self.keyFilters(query) : [], codes).map {
      (question.dated($0.key, day), $0.credits)
    }
  }
}
