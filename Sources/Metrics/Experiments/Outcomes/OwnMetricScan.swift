internal import EventModel
internal import Lifecycle
internal import Store

/// Reads one of a plan's own metrics and computes its statistics.
struct OwnMetricScan {
  private let metric: OwnMetric
  /// `nil` for a step of a path.
  private let numerator: EventSelection?
  private let denominator: EventSelection?
  /// Sums by user, in the order of the exposed users.
  private var sums: [Double]
  private var bases: [Double]
  /// Milliseconds from the exposure to the first event in the window; the greatest value for none.
  private var first: [Int64]
  /// Whether the app's clients tell what the metric counts (definitions 11.9).
  private var isKnown = true

  init(_ metric: OwnMetric, _ facts: FactSource, persons: Int) throws {
    self.metric = metric
    numerator = if case .events(let selection) = metric.source { try EventSelection(selection, facts) } else { nil }
    if case .ratio(let selection) = metric.kind {
      denominator = try EventSelection(selection, facts)
    } else {
      denominator = nil
    }
    sums = [Double](repeating: 0, count: persons)
    bases = [Double](repeating: 0, count: denominator == nil ? 0 : persons)
    first = [Int64](repeating: .max, count: metric.kind == .timeToEvent ? persons : 0)
  }

  /// - Parameter since: Milliseconds from the user's exposure to the event.
  /// - Returns: The event's contribution to the user's sum and denominator; `nil` if it is not selected.
  @discardableResult
  mutating func take(_ event: ScannedEvent, since: Int64, person: Int) -> (sum: Double?, base: Double?) {
    guard since >= metric.window.lowerBound, since < metric.window.upperBound else { return (nil, nil) }
    let (value, base) = (numerator?.value(of: event), denominator?.value(of: event))
    if let value {
      sums[person] += value
      // A value of 0, such as a price in another currency, is not an outcome, not even of a proportion.
      if metric.kind == .timeToEvent, value != 0 { first[person] = min(first[person], since) }
    }
    if let base { bases[person] += base }
    return (value, base)
  }

  /// Reads when users reached the step of the metric's path; does nothing for a metric of events.
  ///
  /// - Parameter users: The exposed users, in the order of the scan.
  /// - Returns: Instants in ms, by user.
  @discardableResult
  mutating func readStep(of users: [ExposedUser], _ exposed: ExposedPersons) throws -> [Int32: Int64] {
    guard case .step(let step) = metric.source else { return [:] }
    guard let reached = try step.reached(by: users, exposed) else {
      isKnown = false
      return [:]
    }
    for (place, user) in users.enumerated() {
      guard let ts = reached[user.person] else { continue }
      sums[place] = 1
      if metric.kind == .timeToEvent { first[place] = ts - user.exposedAt }
    }
    return reached
  }

  /// Returns a user's contribution to the numerator and to the denominator.
  ///
  /// - Parameter asOf: If it is after the exposure by less than the window, the user is not analysed yet and the result
  ///   is `nil`, except for a time to event.
  func outcome(of person: Int, exposedAt ts: Int64, asOf: Int64) -> (amount: Double, of: Double)? {
    if !isKnown { return nil }
    if metric.kind != .timeToEvent && asOf - ts < metric.window.upperBound { return nil }
    switch metric.kind {
    case .timeToEvent: return (first[person] == .max ? 0 : 1, 1)
    case .proportion: return (sums[person] == 0 ? 0 : 1, 1)
    case .mean: return (min(sums[person], metric.cap ?? .infinity), 1)
    case .ratio: return (min(sums[person], metric.cap ?? .infinity), bases[person])
    }
  }

  /// Adds one user to the outcomes of its slice.
  func add(_ person: Int, exposedAt ts: Int64, asOf: Int64, arm: Int, to outcomes: inout Outcomes) {
    guard let (amount, of) = outcome(of: person, exposedAt: ts, asOf: asOf) else { return }
    let days = Int((asOf - ts - metric.window.upperBound) / day)
    switch metric.kind {
    case .timeToEvent:
      var record = IncidenceRecord(start: ts)
      if first[person] != .max { record.time = first[person] }
      let none = [[IncidenceRecord]](repeating: [], count: outcomes.arms)
      outcomes.incidences[metric.name, default: none][arm].append(record)
    case .proportion:
      outcomes.shares.add(metric.name, arm: arm, of: outcomes.arms, daysBefore: days) {
        $0.persons += 1
        if amount != 0 { $0.events += 1 }
      }
    case .mean:
      outcomes.means.add(metric.name, arm: arm, of: outcomes.arms, daysBefore: days) {
        $0.persons += 1
        $0.add(amount)
      }
    case .ratio:
      outcomes.ratios.add(metric.name, arm: arm, of: outcomes.arms, daysBefore: days) {
        $0.persons += 1
        $0.add(numerator: amount, denominator: of)
      }
    }
  }
}

/// The events that an own metric counts, as numbers of the dictionaries.
struct EventSelection {
  private let kind: EventKind
  private let contexts: Set<Int32>?
  private let clients: Set<Int32>?
  private let terms: Set<Int32>?
  private let propertySets: Set<Int32>?
  /// Values other than 1, by terms or by set of properties.
  private let values: [Int32: Double]?
  private let isOfTerms: Bool

  init(_ selection: OwnMetric.Selection, _ facts: FactSource) throws {
    kind = selection.kind
    var sets: [String: Set<Int32>] = [:]
    for filter in selection.filters {
      let (table, ids) = try Self.ids(filter, facts)
      sets[table] = sets[table]?.intersection(ids) ?? ids
    }
    contexts = sets["context"]
    clients = sets["client"]
    terms = sets["terms"]
    propertySets = sets["property_set"]
    switch selection.value {
    case .count:
      values = nil
      isOfTerms = false
    case .price(let currency):
      var prices: [Int32: Double] = [:]
      try facts.forEachRow(
        "SELECT id, price FROM terms WHERE price > 0 AND currency = \(facts.number(ofName: currency) ?? -1)"
      ) { prices[$0.int32(0)] = Double($0[1]) / 1e6 }
      values = prices
      isOfTerms = true
    case .property(let name):
      var numbers: [Int32: Double] = [:]
      try facts.forEachRow("SELECT set_id, value FROM property WHERE name = \(Self.quoted(name))") { row in
        if let number = Double(facts.name(row.int(1))), number.isFinite { numbers[row.int32(0)] = number }
      }
      values = numbers
      isOfTerms = false
    }
  }

  /// Returns the value of an event; `nil` if it is not selected.
  func value(of event: ScannedEvent) -> Double? {
    guard event.kind == kind,
      contexts?.contains(event.context) ?? true, clients?.contains(event.client) ?? true,
      terms?.contains(event.terms) ?? true, propertySets?.contains(event.properties) ?? true
    else { return nil }
    guard let values else { return 1 }
    return values[isOfTerms ? event.terms : event.properties] ?? 0
  }

  /// Returns the entries of a dictionary that match a filter.
  private static func ids(
    _ filter: ReportOptions.Filter, _ facts: FactSource
  ) throws -> (table: String, ids: Set<Int32>) {
    let names = filter.values.compactMap { facts.number(ofName: $0) } + (filter.values.contains("(none)") ? [0] : [])
    func list(_ codes: [Int]) -> String { codes.isEmpty ? "NULL" : codes.map(String.init).joined(separator: ", ") }
    func read(_ table: String, _ column: String, _ codes: [Int]) throws -> (String, Set<Int32>) {
      var ids: Set<Int32> = []
      try facts.forEachRow("SELECT id FROM \(table) WHERE \(column) IN (\(list(codes)))") { ids.insert($0.int32(0)) }
      return (table, ids)
    }
    switch filter.dimension {
    case .plan:
      return try read(
        "terms", "COALESCE(plan, -1)",
        filter.values.compactMap { $0 == "(none)" ? -1 : Plan(name: $0).map { Int($0.rawValue) } })
    case .tier:
      return try read(
        "terms", "is_family_tier", filter.values.compactMap { $0 == "individual" ? 0 : $0 == "family" ? 1 : nil })
    case .property(let name):
      var ids: Set<Int32> = []
      try facts.forEachRow(
        """
        SELECT s.id FROM property_set AS s LEFT JOIN property AS p ON p.set_id = s.id AND p.name = \(quoted(name))
        WHERE COALESCE(p.value, 0) IN (\(list(names)))
        """
      ) { ids.insert($0.int32(0)) }
      return ("property_set", ids)
    case let other where other.isContext: return try read("context", other.name, names)
    case let other where other.isOfClient: return try read("client", other.name, names)
    case let other where other.isOfTerms: return try read("terms", other.name, names)
    default: return ("property_set", [])
    }
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }
}
