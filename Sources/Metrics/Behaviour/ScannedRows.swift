internal import EventModel
internal import Lifecycle
internal import Store

/// The rows of scanned events by `--by`, `--where`, `--from` and `--to`.
struct ScannedRows {
  private let query: ReportQuery
  private let dimensions: ScannedDimensions
  private let days: Range<Int64>
  /// Whether an event's row depends on its instant.
  private let asksForDays: Bool
  private let isByPerson: Bool
  private var rows = RowInterner<RowKey>()
  /// The places by an event's traits without its day; `nil` for events that are filtered out.
  private var known: [Traits: Int?] = [:]
  private var last: (traits: Traits, place: Int?)?

  private struct Traits: Hashable {
    var app: NameID
    var context: Int32
    var client: Int32
    var terms: Int32
    var properties: Int32
    var person: Int32
  }

  var keys: [RowKey] { rows.rows }

  /// - Parameter isRead: Returns whether a filter applies to the event.
  init(_ query: ReportQuery, filters isRead: (Dimension) -> Bool = { _ in true }) throws {
    self.query = query
    dimensions = try ScannedDimensions(query, filters: isRead)
    isByPerson = query.by.contains(.person)
    days = LocalDays(from: query.options.from, to: query.options.to).range
    asksForDays =
      query.options.from != nil || query.options.to != nil
      || (query.by + query.options.filters.map(\.dimension).filter(isRead)).contains(where: \.isPeriod)
  }

  /// Returns the place of an event's row in ``keys``; `nil` if it is filtered out.
  @inline(__always)
  mutating func place(of event: ScannedEvent) -> Int? {
    if asksForDays {
      return days.contains(query.localTime.day(of: event.ts)) ? newPlace(of: event) : nil
    }
    let traits = Traits(
      app: event.app, context: event.context, client: event.client, terms: event.terms, properties: event.properties,
      person: isByPerson ? event.person : 0)
    if let last, last.traits == traits { return last.place }
    let place = known[traits] ?? newPlace(of: event)
    known[traits] = .some(place)
    last = (traits, place)
    return place
  }

  private mutating func newPlace(of event: ScannedEvent) -> Int? {
    dimensions.passes(event) ? placeOfRow(event) : nil
  }

  /// Returns the place of an event's row, whether or not it is filtered out.
  mutating func placeOfRow(_ event: ScannedEvent) -> Int {
    Int(rows.intern(RowKey(app: event.app, codes: query.by.map { dimensions.code($0, event) })))
  }

  /// Returns the place of an event's row, and whether it passes the filters.
  mutating func row(of event: ScannedEvent) -> (place: Int, isAsked: Bool) {
    if let place = place(of: event) { return (place, true) }
    return (placeOfRow(event), false)
  }
}
