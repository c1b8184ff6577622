internal import EventModel
internal import Store

/// Each user's contribution to a metric of the plan's own, with the events behind it.
struct OwnMetricTrace {
  private struct Instant: Hashable {
    var person: Int32
    var kind: EventKind
    var ts: Int64
  }

  private let asOf: Int64
  private let scan: OwnMetricScan
  /// The place of each user in the scan.
  private let places: [Int32: Int]
  private let counted: [Instant: [String]]
  /// When users reached the step of the metric's path, in ms by user; empty for a metric of events.
  private let reached: [Int32: Int64]

  init(_ metric: OwnMetric, _ exposed: ExposedPersons, of users: [ExposedUser]) throws {
    asOf = exposed.asOf
    var scan = try OwnMetricScan(metric, exposed.query.facts, persons: users.count)
    var counted: [Instant: [String]] = [:]
    let places = Dictionary(uniqueKeysWithValues: users.enumerated().map { ($0.element.person, $0.offset) })
    reached = try scan.readStep(of: users, exposed)
    try exposed.query.facts.forEachEvent { event in
      guard let place = places[event.person] else { return }
      let value = scan.take(event, since: event.ts - users[place].exposedAt, person: place)
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

  /// - Returns: `nil` for a user who is not analysed yet.
  func outcome(of user: ExposedUser) -> (amount: Double, of: Double)? {
    places[user.person].flatMap { scan.outcome(of: $0, exposedAt: user.exposedAt, asOf: asOf) }
  }

  /// Returns the value of a user's event; if there are several of one kind at one instant, all values.
  func remark(_ person: Int32, _ event: PersonHistory.Event) -> String? {
    if reached[person] == event.ts { return "reaches the step (11.9)" }
    return counted[Instant(person: person, kind: event.kind, ts: event.ts)]?.joined(separator: "; ")
  }

  private static func text(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
  }
}
