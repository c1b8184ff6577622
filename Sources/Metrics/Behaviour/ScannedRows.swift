internal import EventModel
internal import Lifecycle
internal import Store

/// The rows that scanned events fall in by themselves: `--by`, `--where`, `--from` and `--to`.
struct ScannedRows {
  private let query: ReportQuery
  private let dimensions: ScannedDimensions
  private let days: Range<Int64>
  /// Whether the instant of an event says anything of its row.
  private let asksForDays: Bool
  private let isByPerson: Bool
  private(set) var keys: [CellKey] = []
  private var places: [CellKey: Int] = [:]
  /// Of events without their days; `nil` for those that are filtered out.
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

  /// - Parameter isRead: Of the filters, those that look at the event.
  init(_ query: ReportQuery, filters isRead: (Dimension) -> Bool = { _ in true }) throws {
    self.query = query
    dimensions = try ScannedDimensions(query, filters: isRead)
    isByPerson = query.by.contains(.person)
    let from = query.options.from.map { Int64($0.daysSince1970) } ?? .min
    days = from..<(query.options.to.map { Int64($0.daysSince1970) } ?? .max)
    asksForDays =
      query.options.from != nil || query.options.to != nil
      || (query.by + query.options.filters.map(\.dimension).filter(isRead)).contains(where: \.isPeriod)
  }

  /// The place of an event's row in ``keys``; `nil` where it is not asked for.
  @inline(__always)
  mutating func place(of event: ScannedEvent) -> Int? {
    if asksForDays {
      return days.contains(floorDays(query.localTime.local(event.ts))) ? newPlace(of: event) : nil
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

  /// The place of an event's row, whether or not it is asked for.
  mutating func placeOfRow(_ event: ScannedEvent) -> Int {
    let key = CellKey(app: event.app, codes: query.by.map { dimensions.code($0, event) })
    if let place = places[key] { return place }
    places[key] = keys.count
    keys.append(key)
    return keys.count - 1
  }

  /// The place of an event's row, and whether it is asked for.
  mutating func row(of event: ScannedEvent) -> (place: Int, isAsked: Bool) {
    if let place = place(of: event) { return (place, true) }
    return (placeOfRow(event), false)
  }
}
