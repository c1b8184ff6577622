internal import EventModel
internal import Lifecycle
internal import Store

/// The report rows of units, by `--by`, `--where`, `--from` and `--to`.
struct UnitRows {
  private let query: ReportQuery
  private let codes: DimensionCodes
  private let keyFilters: [CodeFilter]
  let days: DayQuestion
  /// By ``ReportOptions/ends``.
  private let ends: [NameID: Int64]
  private var rows = RowInterner<RowKey>()
  /// The rows that units fall in; with days, also the rows without them.
  var keys: [RowKey] { rows.rows }
  /// By ``group``.
  private var placeOfUnit: [[UnitKey: Int]]
  private var placeOfDay: [DatedPlace: Int] = [:]
  private let personPlace: Int?
  /// The user whose units come next; with ``Dimension/person`` each user has separate rows.
  var person: Int32 = 0 {
    didSet {
      guard personPlace != nil, person != oldValue else { return }
      for group in placeOfUnit.indices { placeOfUnit[group].removeAll(keepingCapacity: true) }
      placeOfDay.removeAll(keepingCapacity: placeOfDay.count < 64)
    }
  }
  /// Whether a payment's number in its subscription decides its row.
  let asksForStages: Bool
  /// Of the payment that comes next; read only if ``asksForStages``.
  var stage = PaymentStage.unknown
  private let asksForRenewals: Bool
  /// Whether auto-renew of the spell that comes next is on.
  var isRenewing = false
  /// The place in ``placeOfUnit`` of what comes next, by stage and auto-renew as far as rows depend on them.
  private var group: Int {
    (asksForStages ? stage.rawValue : 0) * (asksForRenewals ? 2 : 1) + (asksForRenewals && isRenewing ? 1 : 0)
  }
  /// Whether a unit's cell key determines its row in a ``group`` apart from the day.
  private let isOfCellKey: Bool
  /// The places by ``group`` and cell key, if ``isOfCellKey``.
  private var places: [[Int]]

  init(_ query: ReportQuery) throws {
    self.query = query
    codes = try DimensionCodes(query, query.by + query.options.filters.map(\.dimension))
    let used = query.by + query.options.filters.map(\.dimension)
    asksForStages = used.contains(.stage)
    asksForRenewals = used.contains(.renewing)
    placeOfUnit = Array(
      repeating: [:], count: (asksForStages ? PaymentStage.allCases.count : 1) * (asksForRenewals ? 2 : 1))
    places = placeOfUnit.map { _ in [] }
    isOfCellKey = used.allSatisfy { $0.isContext || $0.isOfTerms || $0.isPeriod || [.stage, .renewing].contains($0) }
    personPlace = query.by.firstIndex(of: .person)
    let filters = query.options.filters.map(query.codeFilter)
    keyFilters = filters.filter { !$0.dimension.isPeriod }
    days = DayQuestion(query, by: query.by)
    ends = Dictionary(
      uniqueKeysWithValues: query.apps.compactMap { app in query.options.ends[app.name].map { (app.id, $0) } })
  }

  /// Returns a unit's row without its days; `nil` if it is filtered out.
  func undatedRow(_ facet: UnitFacet) -> RowKey? {
    func code(_ dimension: Dimension) -> Int64 {
      switch dimension {
      case .stage: Int64(stage.rawValue)
      case .renewing: isRenewing ? 1 : 0
      default: codes.code(dimension, facet)
      }
    }
    guard keyFilters.allSatisfy({ $0.accepts(code($0.dimension)) }) else { return nil }
    var row = RowKey(app: facet.cellKey.app, codes: query.by.map(code))
    if let personPlace { row.codes[personPlace] = Int64(person) }
    return row
  }

  /// Calls `body` once with each row that a unit is credited to, by its place in ``keys``.
  ///
  /// - Parameter cellKey: Returns the cell key with a number.
  @inline(__always)
  mutating func forEachRow(
    _ credits: ArraySlice<UnitKey>, at instant: Int64, _ cellKey: (Int32) -> CellKey, _ body: (Int) throws -> Void
  ) rethrows {
    if credits.count == 1 {
      if let place = place(of: credits[credits.startIndex], at: instant, cellKey) { try body(place) }
      return
    }
    var places: [Int] = []
    for credit in credits {
      guard let place = place(of: credit, at: instant, cellKey), !places.contains(place) else { continue }
      places.append(place)
      try body(place)
    }
  }

  /// Returns the places in ``keys`` of the rows that a unit is credited to, each once.
  ///
  /// - Parameters:
  ///   - key: Has the client and the properties.
  ///   - credits: The numbers of the cell keys.
  mutating func rowPlaces(
    _ key: UnitKey, _ credits: ArraySlice<Int32>, at instant: Int64, _ cellKey: (Int32) -> CellKey
  ) -> [Int] {
    let credits = credits.map { UnitKey(cellKey: $0, client: key.client, properties: key.properties) }
    var places: [Int] = []
    forEachRow(credits[...], at: instant, cellKey) { places.append($0) }
    return places
  }

  /// Returns the place in ``keys`` of the row of a unit that is credited to one cellKey; `nil` if it is filtered out.
  @inline(__always)
  mutating func place(of credit: UnitKey, at instant: Int64, _ cellKey: (Int32) -> CellKey) -> Int? {
    if !ends.isEmpty, let end = ends[cellKey(credit.cellKey).app], instant >= end { return nil }
    let undated: Int
    let group = self.group
    if isOfCellKey, Int(credit.cellKey) < places[group].count, case let known = places[group][Int(credit.cellKey)],
      known != Self.unknown
    {
      undated = known
    } else {
      undated = undatedPlace(of: credit, group, cellKey)
    }
    if undated == Self.filteredOut { return nil }
    if !days.asksForDays { return undated }
    return datedPlace(undated, at: instant)
  }

  private mutating func undatedPlace(of credit: UnitKey, _ group: Int, _ cellKey: (Int32) -> CellKey) -> Int {
    let known = isOfCellKey ? UnitKey(cellKey: credit.cellKey, client: 0, properties: 0) : credit
    if let place = placeOfUnit[group][known] { return place }
    let row = undatedRow(
      UnitFacet(cellKey(credit.cellKey), client: credit.client, properties: credit.properties))
    let place = row.map { Int(rows.intern($0)) } ?? Self.filteredOut
    placeOfUnit[group][known] = place
    if isOfCellKey {
      while places[group].count <= Int(credit.cellKey) { places[group].append(Self.unknown) }
      places[group][Int(credit.cellKey)] = place
    }
    return place
  }

  private mutating func datedPlace(_ undated: Int, at instant: Int64) -> Int? {
    let dated = DatedPlace(undated: undated, day: query.localTime.day(of: instant))
    if let place = placeOfDay[dated] { return place == Self.filteredOut ? nil : place }
    let place = days.row(keys[undated], on: dated.day).map { Int(rows.intern($0)) } ?? Self.filteredOut
    placeOfDay[dated] = place
    return place == Self.filteredOut ? nil : place
  }

  private struct DatedPlace: Hashable {
    var undated: Int
    var day: Int64
  }

  private static let filteredOut = -1
  private static let unknown = -2
}
