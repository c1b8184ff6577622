internal import EventModel
internal import Lifecycle
internal import Store

/// A report's question to units: to stored cells, which are read in milliseconds, where these know the dimensions, else to
/// the units of facts. The rules of a report count units, and do not see which of the two they come from.
struct CellQuery {
  private let query: ReportQuery
  let source: any UnitSource
  private let split: UnitSplit
  private let codes: DimensionCodes
  private let days: DayParts

  /// - Parameter families: Those that the report counts.
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
      // Each user's units are a group: those of other rows are not worth one.
      let isAsked: ((UnitFacet) -> Bool)? =
        asked.split.byPerson
        ? { apps.contains($0.origin.app) && !Self.rows(of: $0, [], filters, codes).isEmpty } : nil
      source = try query.facts.units(families, by: asked.split, isAsked: isAsked)
    }
  }

  private typealias Filter = (dimension: Dimension, codes: Set<Int64>)

  /// The filters that look at what units have in common.
  private static func keyFilters(_ query: ReportQuery) -> [Filter] {
    query.options.filters.filter { !$0.dimension.isOfDay }.map { ($0.dimension, Set(query.codes(of: $0))) }
  }

  /// The rows that the units of a facet are credited to, with the credits of each: none that is filtered out.
  private static func rows(
    of facet: UnitFacet, _ by: [Dimension], _ filters: [Filter], _ codes: DimensionCodes
  ) -> [(key: CellKey, credits: [Origin])] {
    var rows: [(key: CellKey, credits: [Origin])] = []
    var credited = facet
    for origin in facet.credits {
      credited.origin = origin
      guard filters.allSatisfy({ $0.codes.contains(codes.code($0.dimension, credited)) }) else { continue }
      let key = CellKey(app: origin.app, codes: codes.codes(by, credited))
      if let place = rows.firstIndex(where: { $0.key == key }) {
        rows[place].credits.append(origin)
      } else {
        rows.append((key, [origin]))
      }
    }
    return rows
  }

  /// Calls what it is given with each cell of a row.
  typealias Scan = ((UnitCell) -> Void) throws -> Void

  /// Calls `body` with cells that are asked for: the row of the report that their units fall in, the origins in this row that
  /// they are credited to, and a scan through those that have these. A unit is in a row once, whatever it is credited to; a
  /// row has as many calls as there are groups of units.
  ///
  /// - Parameters:
  ///   - by: The row's dimensions; default: the query's.
  ///   - isFiltered: Whether `--where` holds here.
  func forEachRow(
    _ family: CellFamily, by: [Dimension]? = nil, isFiltered: Bool = true,
    _ body: (CellKey, _ credits: [Origin], Scan) throws -> Void
  ) throws {
    let by = by ?? query.by
    let filters = isFiltered ? Self.keyFilters(query) : []
    let apps = Set(query.apps.map(\.id))
    let question = DayQuestion(query, by: by, isFiltered: isFiltered)
    for (place, facet) in source.facets.enumerated() where apps.contains(facet.origin.app) {
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

  // MARK: - Shown prices

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
      guard apps.contains(prices.facet.origin.app),
        let row = CellQuery.rows(of: prices.facet, by, filters, codes).first?.key
      else { return nil }
      if !question.asksForDays { return row }
      return question.isAsked(prices.day) ? question.dated(row, prices.day) : nil
    }
  }

  // MARK: - Views

  /// The rows that users entered by an impression in them (definitions 3.1).
  func views() throws -> Views {
    let rowDimensions = query.by.filter { !$0.isContext }
    let filters = Self.keyFilters(query)
    let withTerms = (rowDimensions + filters.map(\.dimension)).contains { [.plan, .tier, .trialKind].contains($0) }
    // Days filter entries, which are known only once the first impression is.
    var options = query.options
    options.from = nil
    options.to = nil
    let all = query.with(options)
    let question = DayQuestion(all, by: query.by, isFiltered: true)
    var split = split
    split.byPerson = false
    split.byDay = question.asksForDays
    let (facets, found) = try query.facts.firstViews(by: split, withTerms: withTerms, localDay: query.localTime.day)
    let apps = Set(query.apps.map(\.id))
    let personPlace = query.by.firstIndex(of: .person)
    // By facet, the place of the row without days and persons; nil for one that is filtered out.
    var keys: [CellKey] = []
    var placeOfKey: [CellKey: Int32] = [:]
    func place(of key: CellKey) -> Int32 {
      if let place = placeOfKey[key] { return place }
      let place = Int32(keys.count)
      placeOfKey[key] = place
      keys.append(key)
      return place
    }
    let undated = facets.map { facet -> Int32? in
      guard apps.contains(facet.origin.app) else { return nil }
      return Self.rows(of: facet, query.by, filters, codes).first.map { place(of: $0.key) }
    }
    struct Dated: Hashable {
      var place: Int32
      var day: Int64
    }
    var dated: [Dated: Int32?] = [:]
    var views: [View] = []
    var first = 0
    for view in sortedByKey(found, { Int64($0.person) }) {
      guard var row = undated[Int(view.facet)] else { continue }
      if question.asksForDays {
        let day = query.localTime.day(of: view.ts)
        let known = Dated(place: row, day: day)
        if let place = dated[known] {
          guard let place else { continue }
          row = place
        } else {
          let place = question.isAsked(day) ? place(of: question.dated(keys[Int(row)], day)) : nil
          dated[known] = .some(place)
          guard let place else { continue }
          row = place
        }
      }
      if first < views.count, views[first].person != view.person { first = views.count }
      if let same = views[first...].firstIndex(where: { $0.row == row }) {
        views[same].entry = min(views[same].entry, view.ts)
      } else {
        views.append(View(person: view.person, row: row, entry: view.ts))
      }
    }
    let entries = DayQuestion(query, by: [], isFiltered: false)
    if entries.asksForDays { views.removeAll { !entries.isAsked(query.localTime.day(of: $0.entry)) } }
    if let personPlace {
      keys = views.map { view in
        var key = keys[Int(view.row)]
        key.codes[personPlace] = Int64(view.person)
        return key
      }
      for place in views.indices { views[place].row = Int32(place) }
    }
    return Views(rows: keys, entries: views)
  }

  /// Entries of users to rows.
  struct Views {
    var rows: [CellKey]
    /// In order of the users.
    var entries: [View]

    /// The places of a user's entries.
    func places(of person: Int32) -> Range<Int> {
      var (low, high) = (0, entries.count)
      while low < high {
        let middle = (low + high) / 2
        if entries[middle].person < person { low = middle + 1 } else { high = middle }
      }
      while high < entries.count, entries[high].person == person { high += 1 }
      return low..<high
    }
  }

  /// A user's entry to a row.
  struct View {
    var person: Int32
    /// A place in ``Views/rows``.
    var row: Int32
    var entry: Int64
  }

  /// Which rows a credit counts in (definitions 3.1): those whose contexts are its own, where it passes the filters on
  /// contexts.
  struct CreditRows {
    private let codes: DimensionCodes
    private let places: [Int]
    private let dimensions: [Dimension]
    private let filters: [Filter]
    private var known: [Int32: [Int64]?] = [:]

    fileprivate init(_ query: ReportQuery, _ codes: DimensionCodes) {
      self.codes = codes
      places = query.by.indices.filter { query.by[$0].isContext }
      dimensions = places.map { query.by[$0] }
      filters = CellQuery.keyFilters(query).filter { $0.dimension.isContext }
    }

    /// - Parameter origin: That of the number.
    mutating func counts(_ number: Int32, _ origin: (Int32) -> Origin, in row: CellKey) -> Bool {
      let own: [Int64]?
      if let found = known[number] {
        own = found
      } else {
        let facet = UnitFacet(origin: origin(number), client: 0, properties: 0)
        let passes = filters.allSatisfy { $0.codes.contains(codes.code($0.dimension, facet)) }
        own = passes ? codes.codes(dimensions, facet) : nil
        known[number] = .some(own)
      }
      guard let own else { return false }
      return zip(places, own).allSatisfy { row.codes[$0] == $1 }
    }
  }

  var creditRows: CreditRows { CreditRows(query, codes) }

  // MARK: - Purchases

  /// The rows of a purchase of a person.
  func rows(
    of purchase: PersonUnits.Purchase, _ credits: [Origin], by: [Dimension], isFiltered: Bool
  ) -> [(key: CellKey, credits: [Origin])] {
    var facet = UnitFacet(origin: credits[0], client: purchase.key.client, properties: purchase.key.properties)
    facet.credits = credits
    let question = DayQuestion(query, by: by, isFiltered: isFiltered)
    let day = query.localTime.day(of: purchase.unit.start)
    guard question.isAsked(day), query.apps.contains(where: { $0.id == facet.origin.app }) else { return [] }
    return Self.rows(of: facet, by, isFiltered ? Self.keyFilters(query) : [], codes).map {
      (question.dated($0.key, day), $0.credits)
    }
  }
}

/// What a report asks of days: `--by`, `--where`, `--from` and `--to`.
private struct DayQuestion {
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
private final class DayParts {
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
  let split: UnitSplit
  /// Whether stored cells can: they have units of several clients, sets of properties and users together, each with its
  /// only context.
  let isOfCells: Bool

  init(_ options: ReportOptions, by: [Dimension]) {
    dimensions = by + options.filters.map(\.dimension)
    var split = UnitSplit()
    split.byDay = options.from != nil || options.to != nil || dimensions.contains(where: \.isOfDay)
    split.byClient = dimensions.contains(where: \.isOfClient)
    split.byProperties = dimensions.contains { if case .property = $0 { true } else { false } }
    split.byPerson = by.contains(.person)
    self.split = split
    isOfCells = !split.byClient && !split.byProperties && !split.byPerson && options.attribution != .all
  }
}
