internal import Lifecycle
internal import Store

/// Prices: those that impressions showed, and the rows of single purchases, whose events tell between equal ones.
extension CellQuery {
  /// Calls `body` with the impressions that showed both prices, of each row that is asked for.
  ///
  /// - Parameter fromEvents: Whether only events will do.
  /// - Returns: Whether the instants of the newest are known in any case.
  func forEachShownPrice(
    fromEvents: Bool = false, _ body: (CellKey, ShownPrices) throws -> Void
  ) throws -> Bool {
    var shown: [ShownPrices]?
    if !fromEvents, let cells = source as? CellSource, days.isUTC || !split.byDay {
      shown = try cells.shownPrices(byDay: split.byDay)
    }
    let areOfCells = shown != nil
    let rows = ShownRows(query, codes)
    for prices in try shown ?? query.facts.shownPrices(by: split, localDay: query.localTime.day) {
      if let row = rows.row(of: prices) { try body(row, prices) }
    }
    return !areOfCells
  }

  /// Calls `body` with each impression at some instants that showed both prices, of each row that is asked for.
  func forEachShownPrice(
    at instants: Set<Int64>, _ body: (CellKey, ShownPrices, _ id: String) throws -> Void
  ) throws {
    let rows = ShownRows(query, codes)
    try query.facts.forEachShownPrice(at: instants, by: split, localDay: query.localTime.day) { prices, id in
      if let row = rows.row(of: prices) { try body(row, prices, id) }
    }
  }

  /// The rows of impressions.
  private struct ShownRows {
    private let apps: Set<NameID>
    private let by: [Dimension]
    private let filters: [Filter]
    private let codes: DimensionCodes
    private let question: DayQuestion

    init(_ query: ReportQuery, _ codes: DimensionCodes) {
      apps = Set(query.apps.map(\.id))
      by = query.by
      filters = CellQuery.keyFilters(query)
      self.codes = codes
      question = DayQuestion(query, by: query.by, isFiltered: true)
    }

    func row(of prices: ShownPrices) -> CellKey? {
      guard apps.contains(prices.facet.segment.app),
        let row = CellQuery.rows(of: prices.facet, by, filters, codes).first?.key
      else { return nil }
      if !question.asksForDays { return row }
      return question.isAsked(prices.day) ? question.dated(row, prices.day) : nil
    }
  }

  /// The rows of a purchase of a person.
  func rows(
    of purchase: PersonUnits.Purchase, _ credits: [Segment], by: [Dimension], isFiltered: Bool
  ) -> [(key: CellKey, credits: [Segment])] {
    var facet = UnitFacet(segment: credits[0], client: purchase.key.client, properties: purchase.key.properties)
    facet.credits = credits
    let question = DayQuestion(query, by: by, isFiltered: isFiltered)
    let day = query.localTime.day(of: purchase.unit.start)
    guard question.isAsked(day), query.apps.contains(where: { $0.id == facet.segment.app }) else { return [] }
    return Self.rows(of: facet, by, isFiltered ? Self.keyFilters(query) : [], codes).map {
      (question.dated($0.key, day), $0.credits)
    }
  }
}
