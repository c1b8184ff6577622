internal import Lifecycle
public import Store

/// All events of one user with what each did, and the reports that the user counts in.
public struct PersonTimeline: Sendable {
  /// A time in one state of a subscription.
  public struct Span: Sendable {
    public enum State: Sendable, Equatable {
      case trial
      case paid
      /// Paid for, with auto-renew off.
      case cancelled
      /// Over, but a late payment still counts.
      case grace
    }

    public var state: State
    /// Milliseconds since 1970.
    public var start: Int64
    /// The greatest value for a plan without an end; it may be later than the as-of.
    public var end: Int64
  }

  /// A report or experiment, with what the user counts as.
  public struct Place: Sendable {
    /// The name of the report or experiment.
    public var name: String
    public var isExperiment: Bool
    public var isCounted: Bool
    /// As what the user counts, or why not; instants are written as in roles.
    public var words: String
  }

  public var app: String
  /// All ids, the one asked for first.
  public var users: [String]
  /// In order of time.
  public var events: [PersonHistory.Event]
  /// Those of the first paywall view; `nil` without one.
  public var entryPoint: String?
  public var variant: String?
  public var places: [Place]
  /// Trials and paid times, in order of time.
  public var spans: [Span]
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
    let horizon = try Funnel.horizons(query)[first.app.id] ?? FoldOptions.attributionWindow
    var timeline: PersonTimeline?
    try query.facts.forEachHistory(of: [first.person]) { history in
      let topics = ReportKind.explained.reduce(into: Set<EventTopic>()) { $0.formUnion($1.topics) }
      var roles = EventRoles(history, topics: topics, attribution: options.attribution)
      roles.sights = history.facts.sights(query.facts)
      let view = history.events.first { $0.kind == .paywallImpression }
      timeline = PersonTimeline(
        app: first.app.name, users: [user] + history.users.filter { !$0.utf8.elementsEqual(user.utf8) },
        events: roles.told(), entryPoint: view.map { query.facts.name(Int($0.context.entryPoint)) },
        variant: view.map { query.facts.name(Int($0.context.variant)) },
        places: PersonPlaces(history, query, asOf: query.asOf(of: first.app), horizon: horizon).all,
        spans: spans(history, asOf: query.asOf(of: first.app)), asOf: query.asOf(of: first.app),
        otherApps: known.dropFirst().map(\.app.name))
    }
    return timeline
  }

  /// - Parameter asOf: Milliseconds since 1970; states that begin later are not known.
  private static func spans(_ history: PersonHistory, asOf: Int64) -> [Span] {
    var spans = history.facts.trials.map { Span(state: .trial, start: $0.start, end: $0.convertedAt ?? $0.end) }
    for spell in history.facts.spells {
      // Auto-renew is off from the last event that turned it off, if it still is.
      let off =
        spell.isOff
        ? history.events.last {
          $0.kind == .cancellation && $0.exclusion == nil && $0.ts >= spell.start && $0.ts < spell.end
        }?.ts : nil
      spans.append(Span(state: .paid, start: spell.start, end: off ?? spell.end))
      if let off { spans.append(Span(state: .cancelled, start: off, end: spell.end)) }
      if spell.end < asOf, spell.graceEnd > asOf {
        spans.append(Span(state: .grace, start: spell.end, end: spell.graceEnd))
      }
    }
    return spans.filter { $0.start < asOf && $0.end > $0.start }.sorted { $0.start < $1.start }
  }
}
