internal import Store

/// Decides which events count in a row of `--unit view`: those with the row's context.
struct RowContexts {
  private let places: [Int]
  private let by: [Dimension]
  private let filters: [CodeFilter]
  private let dimensions: ScannedDimensions

  init(_ query: ReportQuery) throws {
    by = query.by
    places = by.indices.filter { query.by[$0].isContext }
    filters = CellQuery.keyFilters(query).filter { $0.dimension.isContext }
    dimensions = try ScannedDimensions(query)
  }

  func isOf(_ event: ScannedEvent, _ row: RowKey) -> Bool { isOf(row) { dimensions.code($0, event) } }

  /// - Parameter code: Returns the code of a dimension of an event or a fact.
  func isOf(_ row: RowKey, code: (Dimension) -> Int64) -> Bool {
    places.allSatisfy { code(by[$0]) == row.codes[$0] } && filters.allSatisfy { $0.accepts(code($0.dimension)) }
  }
}
