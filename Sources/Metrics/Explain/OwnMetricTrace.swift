internal import EventModel
internal import Lifecycle
internal import Store

/// What each of some persons adds to a metric of the plan's own, and by which events.
struct OwnMetricTrace {
  private struct Instant: Hashable {
    var person: Int32
    var kind: EventKind
    var ts: Int64
  }

  private let asOf: Int64
  private let scan: OwnMetricScan
  /// By person, in the scan.
  private let places: [Int32: Int]
  private let counted: [Instant: [String]]

  init(_ metric: OwnMetric, _ exposed: ExposedPersons, _ persons: [ExposureSource.Person]) throws {
    asOf = exposed.asOf
    var scan = try OwnMetricScan(metric, exposed.query.facts, persons: persons.count)
    var counted: [Instant: [String]] = [:]
    let places = Dictionary(uniqueKeysWithValues: persons.enumerated().map { ($0.element.person, $0.offset) })
    try exposed.query.facts.forEachEvent { event in
      guard let place = places[event.person] else { return }
      let value = scan.take(event, since: event.ts - persons[place].unit.ts, person: place)
      let texts =
        [
          value.sum.map { "counts \(Self.text($0)) (8.2)" },
          value.base.map { "counts \(Self.text($0)) of the denominator (8.2)" },
        ]
        .compactMap(\.self)
      if !texts.isEmpty {
        counted[Instant(person: event.person, kind: event.kind, ts: event.ts), default: []] += texts
      }
    }
    (self.scan, self.places, self.counted) = (scan, places, counted)
  }

  /// - Returns: `nil` for one who is not analysed yet.
  func outcome(of person: ExposureSource.Person) -> (amount: Double, of: Double)? {
    places[person.person].flatMap { scan.outcome(of: $0, exposedAt: person.unit.ts, asOf: asOf) }
  }

  /// What an event of a person counts; of several of one kind at one instant, all of them.
  func remark(_ person: Int32, _ event: PersonHistory.Event) -> String? {
    counted[Instant(person: person, kind: event.kind, ts: event.ts)]?.joined(separator: "; ")
  }

  private static func text(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
  }
}
