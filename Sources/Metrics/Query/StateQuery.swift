internal import Lifecycle
internal import Store

/// A report's query for states at instants. Its days are the periods whose states are compared, not the days of units.
struct StateQuery {
  let query: ReportQuery
  /// The period of the rows and its place among the dimensions; `nil` for one state per row.
  let period: (dimension: Dimension, place: Int)?
  /// This query for units, without the period, days and filters on them.
  let unitQuery: ReportQuery
  private let periodFilters: [CodeFilter]
  private let periods: [NameID: Periods]

  /// - Throws: ``ReportError`` for more than one period, and for filters on a period that rows do not have.
  init(_ query: ReportQuery) throws {
    self.query = query
    let places = query.by.indices.filter { query.by[$0].isPeriod }
    if places.count > 1 { throw ReportError.severalPeriods(places.map { query.by[$0].name }) }
    period = places.first.map { (query.by[$0], $0) }
    var options = query.options
    options.from = nil
    options.to = nil
    options.filters.removeAll { $0.dimension.isPeriod }
    var unitQuery = query.with(options)
    if let period { unitQuery = unitQuery.without(period.dimension) }
    self.unitQuery = unitQuery
    let filters = query.options.filters.filter(\.dimension.isPeriod)
    let own = places.first.map { query.by[$0] }
    if let other = filters.first(where: { $0.dimension != own }) {
      throw ReportError.filteredPeriods(other.dimension.name)
    }
    periodFilters = filters.map(query.codeFilter)
    let dimension = period?.dimension
    periods = Dictionary(
      uniqueKeysWithValues: query.apps.map { ($0.id, Periods(query, app: $0, by: dimension)) })
  }

  func periods(of app: NameID) -> Periods? { periods[app] }

  /// Returns a row's key: the units' key with the code of the period, if there is one.
  ///
  /// - Returns: `nil` if the period is filtered out.
  func key(_ units: RowKey, period number: Int, of periods: Periods) -> RowKey? {
    guard let period else { return units }
    let code = periods.codes[number]
    guard periodFilters.allSatisfy({ $0.accepts(code) }) else { return nil }
    var key = units
    key.codes.insert(code, at: period.place)
    return key
  }
}
