public import EventModel
internal import Lifecycle
public import Store

/// All events of one user with what each did, and the reports that the user counts in.
public struct PersonTimeline: Sendable {
  public struct Event: Sendable {
    public var id: String
    public var kind: EventKind
    /// Milliseconds since 1970.
    public var ts: Int64
    /// The id that it was sent under.
    public var user: String
    public var file: String
    /// Micro-units of the currency; `nil` of what is no payment.
    public var price: Int64?
    public var currency: String
    public var plan: String?
    public var product: String
    public var entryPoint: String
    public var variant: String
    /// The effects of the event, with rule numbers; empty if it decided nothing.
    public var role: String
  }

  /// A report with the events that decide in it.
  public struct Place: Sendable {
    public var report: String
    public var events: Int
  }

  public var app: String
  /// All ids, the one asked for first.
  public var users: [String]
  /// In order of time.
  public var events: [Event]
  public var places: [Place]
  /// Milliseconds since 1970.
  public var asOf: Int64
  /// Other apps that have such an id.
  public var otherApps: [String]

  /// - Returns: `nil` where no app has such an id, or nothing of it before the as-of.
  public static func find(
    _ user: String, _ snapshot: StoreSnapshot, _ options: ReportOptions
  ) throws -> PersonTimeline? {
    let query = try ReportQuery(snapshot, options, defaultBy: [])
    let found = try query.facts.persons(named: user)
    let known = query.apps.compactMap { app in found.first { $0.app == app.id }.map { (app: app, person: $0.person) } }
    guard let first = known.first else { return nil }
    var timeline: PersonTimeline?
    try query.facts.forEachHistory(of: [first.person]) { history in
      func roles(_ topics: Set<EventTopic>) -> [Explanation.Event] {
        var roles = EventRoles(history, topics: topics, attribution: options.attribution)
        roles.sights = history.facts.sights(query.facts)
        return roles.events()
      }
      let all = ReportKind.explained.reduce(into: Set<EventTopic>()) { $0.formUnion($1.topics) }
      let told = Dictionary(roles(all).map { ($0.id, $0.role) }) { first, _ in first }
      timeline = PersonTimeline(
        app: first.app.name, users: [user] + history.users.filter { !$0.utf8.elementsEqual(user.utf8) },
        events: history.events.map { event in
          Event(
            id: event.id, kind: event.kind, ts: event.ts, user: event.user, file: event.file, price: event.price,
            currency: event.currency, plan: event.plan?.name, product: event.product,
            entryPoint: query.facts.name(Int(event.context.entryPoint)),
            variant: query.facts.name(Int(event.context.variant)), role: told[event.id] ?? "")
        },
        places: ReportKind.explained.compactMap { report in
          let events = EventRoles(history, topics: report.topics, attribution: options.attribution).events()
          return events.isEmpty ? nil : Place(report: report.name, events: events.count)
        }, asOf: query.asOf(of: first.app), otherApps: known.dropFirst().map(\.app.name))
    }
    return timeline
  }
}
