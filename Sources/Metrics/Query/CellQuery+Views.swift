internal import Basics
internal import EventModel
internal import Store

/// Entries by view: pairs of user and row.
extension CellQuery {
  /// Returns the rows that users entered by an impression in them, as definitions 3.1 says of `--unit view`.
  func views() throws -> Views {
    let rowDimensions = query.by.filter { !$0.isContext }
    let filters = Self.keyFilters(query)
    let withTerms = (rowDimensions + filters.map(\.dimension)).contains(where: \.isOfTerms)
    // Day filters apply to entries, which are known only after the first impression is found.
    let question = DayQuestion(query, by: query.by, hasEnds: false)
    var split = split
    split.byPerson = false
    split.byDay = question.asksForDays
    let (facets, found) = try query.facts.firstViews(by: split, withTerms: withTerms, localDay: query.localTime.day)
    let apps = Set(query.apps.map(\.id))
    let personPlace = query.by.firstIndex(of: .person)
    // The place of the row without days and users by facet; nil for a facet that is filtered out.
    var rows = RowInterner<RowKey>()
    let undated = facets.map { facet -> Int32? in
      guard apps.contains(facet.cellKey.app) else { return nil }
      return Self.rows(of: facet, query.by, filters, codes).first.map { Int32(rows.intern($0.key)) }
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
          let place = question.row(rows.rows[Int(row)], on: day).map { Int32(rows.intern($0)) }
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
    var keys = rows.rows
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

  /// Users' entries to rows.
  struct Views {
    var rows: [RowKey]
    /// Entries in order of the users.
    var entries: [View]

    /// Returns the places of a user's entries.
    func places(of person: Int32) -> Range<Int> {
      entries[entries.firstPlace { $0.person >= person }...].prefix { $0.person == person }.indices
    }
  }

  /// A user's entry to a row.
  struct View {
    var person: Int32
    /// An index into ``Views/rows``.
    var row: Int32
    var entry: Int64
  }

  /// Decides which rows a credit counts in: rows with the contexts of the credit, if the credit
  /// passes the context filters.
  struct CreditRows {
    private let codes: DimensionCodes
    private let places: [Int]
    private let dimensions: [Dimension]
    private let filters: [CodeFilter]
    private var known: [Int32: [Int64]?] = [:]

    init(_ query: ReportQuery, _ codes: DimensionCodes) {
      self.codes = codes
      places = query.by.indices.filter { query.by[$0].isContext }
      dimensions = places.map { query.by[$0] }
      filters = CellQuery.keyFilters(query).filter { $0.dimension.isContext }
    }

    mutating func counts(_ number: Int32, _ cellKey: (Int32) -> CellKey, in row: RowKey) -> Bool {
      let own: [Int64]?
      if let found = known[number] {
        own = found
      } else {
        let facet = UnitFacet(cellKey(number))
        let passes = filters.allSatisfy { $0.accepts(codes.code($0.dimension, facet)) }
        own = passes ? dimensions.map { codes.code($0, facet) } : nil
        known[number] = .some(own)
      }
      guard let own else { return false }
      return zip(places, own).allSatisfy { row.codes[$0] == $1 }
    }
  }

  var creditRows: CreditRows { CreditRows(query, codes) }
}
