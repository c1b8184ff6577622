internal import EventModel
internal import Lifecycle
public import Store

/// Explains the cases of one check of `health`: the users behind them, with the events that caused them.
///
/// Belongs to one snapshot and one thread.
public final class HealthExplainer: RowExplainer {
  static let columns = ["cases", "share"]

  private let explained: ExplainedRow

  /// - Parameter cell: `app` and `check` of a row, as CSV or a table names it.
  /// - Throws: ``ExplanationError`` for a row that the report does not have.
  public init(_ snapshot: StoreSnapshot, _ options: ReportOptions, cell: [(name: String, value: String)]) throws {
    let cell = cell.map { ($0.name, $0.name == "check" ? Health.check(ofFinding: $0.value) : $0.value) }
    explained = try ExplainedRow(.health, snapshot, options, cell: cell)
  }

  public func explanation(
    of column: String, offset: Int = 0, limit: Int? = nil, user: String? = nil
  ) throws -> Explanation {
    let place = try explained.report.place(ofNumber: column)
    let name = explained.text("check")
    guard let check = Health.PersonCheck(rawValue: name), let app = explained.query.apps.first else {
      throw ExplanationError.refused(column, Health.refusal(of: name))
    }
    guard Self.columns.contains(column) else {
      throw ExplanationError.refused(
        column,
        column == "of"
          ? "is how many cases there could be; explain cases instead" : "is not a number; explain cases instead")
    }
    if explained.row[place].isEmpty { throw ExplanationError.undefined(column) }

    let trace = Health.Trace(app: app.id, check: check)
    try fill(trace, app)
    let rest = check == .sharedIDs ? "shares an id with a user already counted" : ""
    let list = PersonList(
      entries: trace.cases.map { person, cases in
        PersonList.Entry(
          person: person, amount: Explanation.Amount(count: cases), of: nil, reasons: [cases > 0 ? name : rest])
      })
    var counts = [Explanation.Count(place: .counted, reason: name, amount: list.total)]
    let of = explained.count("of")
    if let of, let cases = explained.count("cases") {
      counts.append(
        Explanation.Count(place: .leftOut, reason: "not a case", amount: Explanation.Amount(count: of - cases)))
    }
    var meaning = explained.text("meaning")
    // The rule numbers follow the text.
    if meaning.hasSuffix(")"), let rules = meaning.lastIndex(of: "("), meaning[rules...].contains(where: \.isNumber) {
      meaning = String(meaning[..<rules].dropLast())
    }
    return try explained.explanation(
      of: column, counting: "cases", list, rules: check.rules, rule: "\(name): \(meaning)", counts: counts,
      denominator: column == "share" ? of.map(Explanation.Amount.init(count:)) : nil, offset: offset, limit: limit,
      user: user
    ) { history in
      var roles = EventRoles(history, topics: check.topics, attribution: .last)
      if check.isOfExperiments { roles.sights = history.facts.sights(explained.query.facts) }
      return roles.events()
    }
  }

  private func fill(_ trace: Health.Trace, _ app: StoreSnapshot.App) throws {
    let query = explained.query
    switch trace.check {
    case .joined, .variantsChanged, .crossedByJoin, .conversionsChanged: _ = try Health.Identity(query, trace: trace)
    case .missingRates: _ = try Health.missingRates(query, trace: trace)
    case .impressionsWithoutEntryPoint:
      var isWithout: Set<Int32> = []
      try query.facts.forEachRow("SELECT id FROM context WHERE entry_point = 0") { isWithout.insert($0.int32(0)) }
      try query.facts.forEachEvent([.paywallImpression]) { event in
        if isWithout.contains(event.context) { trace.add(trace.check, event.app, Int64(event.person)) }
      }
    default: _ = try Health.Coverage(query, trace: trace)
    }
  }
}

extension Health.PersonCheck {
  /// The definitions behind the check.
  fileprivate var rules: String {
    switch self {
    case .purchasesWithoutImpression, .trialsWithoutImpression, .offPaywall: "2.10"
    case .impressionsWithoutEntryPoint: "2.11"
    case .unseenAgain, .joined, .sharedIDs, .variantsChanged: "1.3"
    case .crossed, .crossedByJoin: "8.1"
    case .truncated: "2.9"
    case .conversionsChanged: "1.3, 2.3, 2.10"
    case .missingRates: "1.4"
    }
  }

  /// The kinds of user events that show a case.
  fileprivate var topics: Set<EventTopic> {
    switch self {
    case .purchasesWithoutImpression, .offPaywall: [.views, .impressions, .trials, .payments]
    case .trialsWithoutImpression: [.views, .impressions, .trials]
    case .impressionsWithoutEntryPoint: [.views]
    case .unseenAgain: [.first, .entry, .views]
    case .crossed, .crossedByJoin, .variantsChanged: []
    case .truncated, .sharedIDs: [.payments, .refunds, .ends]
    case .joined: [.first]
    case .conversionsChanged: [.views, .impressions, .trials, .payments]
    case .missingRates: [.payments]
    }
  }

  /// Whether first exposures to experiments show a case.
  fileprivate var isOfExperiments: Bool {
    switch self {
    case .crossed, .crossedByJoin, .variantsChanged: true
    default: false
    }
  }
}

extension Health {
  /// Returns the reason why a check has no users.
  fileprivate static func refusal(of check: String) -> String {
    if check.hasPrefix("days without an event") || check == sinceLastEvent { return "counts days without events" }
    if check.hasPrefix(sinceLastViewer) { return "counts days without viewers" }
    if check.hasPrefix("events received") {
      return "counts events by when they were received; `tollgate export events` has ts and received_at of each"
    }
    if check.hasPrefix("variants without") { return "counts variants, and its meaning names them" }
    if check == "duplicate lines" { return "counts lines that repeat an event, which are not stored" }
    if check == "failed files" { return "counts files; ingest them again to see the reason" }
    return "counts lines; `tollgate quarantine list` and `show` have them"
  }
}
